import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { required } from "../../../../src/domain/errors.ts";
import { hiddenFields } from "../../../support/inspect/page.ts";
import { createWorld, type World } from "../../../support/world/world.ts";

describe("another user's tweet", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it("another user's tweet cannot be deleted, and has no button for it", async () => {
    const author = await world.newcomer("author");
    await author.tweet("stays");
    const [tweet] = await author.see("/@author");
    const path = `/tweets/${tweet?.id}`;
    const other = await world.newcomer("other");
    await other.post(`${path}/delete`).expect(403);
    await world.visitor().post(`${path}/delete`).expect(303);
    await other.get(`${path}/delete`).expect(404);
    for (const reader of [author, other])
      expect(await reader.see("/@author")).toMatchObject([{ text: "stays" }]);
    expect((await other.get(path)).text).not.toContain(`${path}/delete`);
    expect((await author.get(path)).text).toContain(`${path}/delete`);
  });

  it("a tweet cannot be written in another user's name", async () => {
    const writer = await world.newcomer("writer");
    await world.newcomer("target");
    const fields = { text: "by whom?", user_id: "1", author: "target", id: "1" };
    await writer.post("/tweets", fields).expect(303);
    expect(await writer.see("/@writer")).toMatchObject([{ text: "by whom?" }]);
    expect(await writer.see("/@target")).toEqual([]);
  });

  it("a form of another user makes another tweet", async () => {
    const [one, two] = [await world.newcomer("one"), await world.newcomer("two")];
    for (const person of [one, two])
      await person.post("/tweets", { text: "same", nonce: "the-same-nonce" }).expect(303);
    expect(await one.see("/@one")).toMatchObject([{ text: "same", author: "one" }]);
    expect(await two.see("/@two")).toMatchObject([{ text: "same", author: "two" }]);
  });

  it("a text from a page of another user is not sent until its new writer has seen it", async () => {
    const [first, second] = [await world.newcomer("first"), await world.newcomer("second")];
    const begun = await first.post("/messages/new", { to: "@second" }).expect(303);
    const writer = writerIn((await first.get("/").expect(200)).text);
    for (const path of ["/tweets", "/drafts", String(begun.headers["location"])]) {
      const fields = { text: "whose?", writer };
      const refused = await second.post(path, fields).expect(422);
      expect(refused.text).toContain("Another user has logged in");
      expect(refused.text).toMatch(/<textarea[^>]*>whose\?/);
      await second.post(path, { ...fields, writer: writerIn(refused.text) }).expect(303);
    }
    expect(await second.see("/@second")).toMatchObject([{ text: "whose?" }]);
  });

  it("an edit from a page of another user comes back as a tweet of the one who is logged in", async () => {
    const [owner, other] = [await world.newcomer("editor"), await world.newcomer("intruder")];
    await owner.tweet("as it was");
    const id = (await owner.see("/@editor"))[0]?.id ?? "";
    const refused = await other.post(`/tweets/${id}/edit`, { text: "as it is" }).expect(422);
    expect(refused.text).toContain("Another user has logged in");
    expect(refused.text).toMatch(/<textarea[^>]*>as it is/);
    await other.post("/tweets", { ...hiddenFields(refused.text, "/tweets"), text: "as it is" });
    expect(await other.see("/@intruder")).toMatchObject([{ text: "as it is" }]);
    expect(await owner.see("/@editor")).toMatchObject([{ text: "as it was" }]);
  });
});

/** Whose composer a page shows. */
function writerIn(html: string): string {
  return required(/name="writer" value="(\d+)"/.exec(html)?.[1], "writer");
}
