import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ctx } from "../../src/context.ts";
import { continueImport } from "../../src/domain/accounts/import.ts";
import { findImport, isUnderWay } from "../../src/domain/accounts/import-store.ts";
import { Invalid } from "../../src/domain/errors.ts";
import { followingsAtMost, follow, unfollow } from "../../src/domain/actions/follow.ts";
import { userId, type UserId } from "../../src/domain/ids.ts";
import { prepareHome } from "../../src/domain/timelines/home.ts";
import { exec } from "../../src/redis/exec.ts";
import { keys } from "../../src/redis/keys.ts";
import { exportFileWith, startImport } from "../support/data/account-files.ts";
import { Ended, endingAfter } from "../support/world/ending-process.ts";
import { expireHome, newPeople, newPerson } from "../support/actors/people.ts";
import { createWorld, type World } from "../support/world/world.ts";

let world: World;
let ctx: Ctx;
beforeAll(async () => {
  world = await createWorld({}, { workers: false });
  ctx = world.ctx;
});
afterAll(() => world.close());

const unlessEnded = (error: unknown) => {
  if (!(error instanceof Ended)) throw error;
};

/** R14. */
describe("the number of followings", () => {
  it("a user follows a bounded number of accounts, and keeps those already followed", async () => {
    const [user, other] = (await newPeople(ctx, 2)) as [UserId, UserId];
    const crowd = Array.from({ length: followingsAtMost }, (_, nth) => userId(1_000_000 + nth));
    await exec(ctx.redis, [
      ["zadd", keys.followings(user), ...crowd.flatMap((id, nth) => [nth + 1, id])],
    ]);
    const edge = { follower: user, followee: other };
    await expect(follow(ctx, edge)).rejects.toMatchObject({ problems: { form: "follow.many" } });
    await expect(follow(ctx, edge)).rejects.toThrow(Invalid);
    await unfollow(ctx, { follower: user, followee: crowd[0] as UserId });
    await follow(ctx, edge);
    await follow(ctx, edge);
    expect(await ctx.redis.zcard(keys.followings(user))).toBe(followingsAtMost);
  });
});

/** R26. */
describe("a home timeline", () => {
  it("a home timeline never exists without a TTL, wherever the building process dies", async () => {
    const user = await newPerson(ctx);
    for (let commands = 0; commands < 4; commands += 1) {
      await expireHome(ctx, user);
      await prepareHome(endingAfter(ctx, commands), user, "returning").catch(unlessEnded);
      expect(await ctx.redis.ttl(keys.homeTimeline(user))).not.toBe(-1);
    }
  });
});

/** Of R15. */
describe("an import", () => {
  const file = exportFileWith({
    tweet: [{ text: "hello", created_at: "2020-01-01T00:00:00.000000Z" }],
  });

  it("a stored import continues, wherever its process dies", async () => {
    for (let commands = 0; commands < 12; commands += 1) {
      const user = await newPerson(ctx);
      let promises = 0;
      const noting = { ...ctx.jobs, workOnAccount: async () => void (promises += 1) };
      const ending = endingAfter({ ...ctx, jobs: noting }, commands);
      await startImport(ending, user, file).catch(unlessEnded);
      for (let kept = 0; kept < promises; kept += 1)
        await continueImport({ ...ctx, jobs: noting }, user);
      const current = await findImport(ctx, user);
      expect(current !== undefined && isUnderWay(current)).toBe(false);
    }
  });
});
