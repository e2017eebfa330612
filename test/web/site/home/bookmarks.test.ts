import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createWorld, type World } from "../../../support/world/world.ts";

const press = (id: string | undefined, verb: string) => `/tweets/${id}/${verb}`;

describe("bookmarks", () => {
  let world: World;
  let ids: string[];
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    const author = await world.newcomer("author");
    for (const text of ["first", "second", "third"]) await author.tweet(text);
    ids = (await author.see("/@author")).map(({ id }) => id).toReversed();
  });
  afterAll(() => world.close());

  it("bookmarked tweets are listed, the newest bookmark first, for this user only", async () => {
    const reader = await world.newcomer("reader");
    expect((await reader.get("/bookmarks")).text).toContain("No bookmarks yet");
    await reader.post(press(ids[2], "bookmark")).expect(303);
    await reader.post(press(ids[0], "bookmark")).expect(303);
    expect(await reader.see("/bookmarks")).toMatchObject([{ text: "first" }, { text: "third" }]);
    const other = await world.newcomer("other");
    expect(await other.see("/bookmarks")).toEqual([]);
    expect((await other.get("/@author")).text).not.toContain("/unbookmark");
    await reader.post(press(ids[2], "unbookmark")).expect(303);
    expect(await reader.see("/bookmarks")).toMatchObject([{ text: "first" }]);
  });

  it("the button of a tweet shows whether it is bookmarked, and changes in place", async () => {
    const reader = await world.newcomer("keeper");
    const button = async () => {
      const { text } = await reader.get(`/tweets/${ids[1]}`);
      return /<button class="bookmark(?:ed)?"[^>]*>/.exec(text)?.[0] ?? "";
    };
    expect(await button()).toContain('title="Bookmark"');
    const answer = await reader
      .post(press(ids[1], "bookmark"))
      .set("Accept", "text/vnd.turbo-stream.html, text/html")
      .expect(200);
    expect(answer.text).toContain(press(ids[1], "unbookmark"));
    expect(await button()).toContain('title="Remove bookmark"');
  });

  it("a signed-out reader is led to the log-in page", async () => {
    const answer = await world.visitor().get("/bookmarks").expect(303);
    expect(answer.headers["location"]).toBe("/login?next=%2Fbookmarks");
  });

  it("the navigation leads to the bookmarks", async () => {
    const reader = await world.newcomer("walker");
    expect((await reader.get("/bookmarks")).text).toMatch(/href="\/bookmarks" aria-current="page"/);
  });
});
