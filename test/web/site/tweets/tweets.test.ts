import { afterAll, beforeAll, describe, expect, it } from "vitest";
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
});
