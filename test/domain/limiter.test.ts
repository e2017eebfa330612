import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Limiter, limiterOf } from "../../src/domain/limiter.ts";
import { keys } from "../../src/redis/keys.ts";
import { createWorld, type World } from "../support/world/world.ts";

describe("a limit", () => {
  let world: World;
  let limiter: Limiter;
  beforeAll(async () => {
    const limits = { "follows:account": { points: 3, seconds: 60 } };
    world = await createWorld({ limits }, { workers: false });
    limiter = limiterOf(world.ctx, "follows:account");
  });
  afterAll(() => world.close());

  /** A window that ends in a millisecond, and one more try in it. */
  async function takeAtTheEnd(who: string) {
    const key = `${keys.ratePrefix}:follows:account:${who}`;
    const [, state] = await Promise.all([world.ctx.redis.set(key, 3, "PX", 1), limiter.take(who)]);
    return state;
  }

  it("a refusal in the last moment of a window ends with the window, in this process too", async () => {
    let lastMoments = 0;
    for (let nth = 0; nth < 5000 && lastMoments < 20; nth += 1) {
      const who = `client-${nth}`;
      const { refused, resetsIn } = await takeAtTheEnd(who);
      if (!refused || resetsIn > 0) continue;
      lastMoments += 1;
      expect(limiter.isUsedUp(who, 1)).toBe(false);
      // The same window may still be there for a part of a millisecond.
      await expect.poll(async () => (await limiter.take(who)).refused).toBe(false);
    }
    expect(lastMoments).toBeGreaterThan(0);
  });

  it("no refusal is remembered for longer than the window", async () => {
    for (let nth = 0; nth < 200; nth += 1) {
      const who = `flood-${nth}`;
      await takeAtTheEnd(who);
      await takeAtTheEnd(who);
      const { refused, resetsIn } = await limiter.look(who);
      expect({ refused, isFinite: Number.isFinite(resetsIn) }).toEqual({ refused, isFinite: true });
    }
  });
});
