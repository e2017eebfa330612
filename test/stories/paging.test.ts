import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getUserByName } from "../../src/domain/users/store.ts";
import { postTweet } from "../../src/domain/actions/post-tweet.ts";
import { createWorld, type World } from "../support/world/world.ts";
import { closeChecked } from "../support/world/doctor.ts";

describe("a thousand tweets in one burst", () => {
  let world: World;
  const texts = Array.from({ length: 1000 }, (_, index) => `burst ${index}`);

  beforeAll(async () => {
    world = await createWorld();
    const writer = await world.newcomer("writer");
    const reader = await world.newcomer("reader");
    await reader.follow("writer");
    const { id } = await getUserByName(world.ctx, "writer");
    await Promise.all(texts.map((text) => postTweet(world.ctx, id, { text })));
    await world.delivered();
    expect(writer.name).toBe("writer");
  });
  afterAll(() => closeChecked(world));

  it.each([
    ["the follower's home, far past the cap of the stored timeline", "reader", "/"],
    ["the author's home", "writer", "/"],
    ["the author's profile", "reader", "/@writer"],
    ["explore", "reader", "/explore"],
  ])(
    "a thousand tweets page through %s: none skipped, none repeated, while new ones arrive",
    async (_, name, path) => {
      const visitor = world.visitor();
      await visitor.logIn(name);
      const { id } = await getUserByName(world.ctx, "writer");
      const shown = await visitor.readAll(path, async () => {
        await postTweet(world.ctx, id, { text: "meanwhile" });
      });
      const burst = shown.filter((tweet) => tweet.text.startsWith("burst"));
      expect(burst.map((tweet) => tweet.id)).toEqual([...new Set(burst.map((tweet) => tweet.id))]);
      expect(new Set(burst.map((tweet) => tweet.text))).toEqual(new Set(texts));
      const ids = shown.map((tweet) => Number(tweet.id));
      expect(shown).toHaveLength(new Set(ids).size);
    },
  );
});
