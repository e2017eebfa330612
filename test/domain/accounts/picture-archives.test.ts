import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import { countArchives, pictureArchives } from "../../../src/domain/accounts/export-archive.ts";
import { keys } from "../../../src/redis/keys.ts";
import { newPerson } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("archives of pictures", () => {
  let world: World;
  let ctx: Ctx;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    ({ ctx } = world);
  });
  afterAll(() => world.close());

  it("many pictures are in several archives, newest first", async () => {
    const user = await newPerson(ctx);
    for (const nth of [1, 2, 3]) {
      const file = `${user}-${"0".repeat(24)}-${"0".repeat(16)}.webp`;
      const large = { file, width: 1, height: 1, bytes: 9_000_000 };
      const pictures = JSON.stringify([{ id: `${nth}`, small: large, large, description: "" }]);
      const fields = { text: `${nth}`, created_at: nth, user_id: user, pictures };
      await ctx.redis.hset(keys.tweet(`${9000 + nth}` as never), fields);
      await ctx.redis.hset(keys.pictures(user), `${nth}`, `${9000 + nth}`);
    }
    const archives = await pictureArchives(ctx, user);
    expect(await countArchives(ctx, user)).toBe(3);
    await ctx.redis.hdel(keys.pictures(user), "2");
    expect(await countArchives(ctx, user)).toBe(2);
    expect(archives.map((tweets) => tweets.map(({ text }) => text))).toEqual([["3"], ["2"], ["1"]]);
  });
});
