import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { giveChallenge, takeChallenge } from "../../../src/domain/factors/ceremonies.ts";
import { userId } from "../../../src/domain/ids.ts";
import { findKeys } from "../../support/world/redis-nodes.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("a challenge", () => {
  const logIn = { act: "log-in" } as const;
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it("a challenge is good once, however many come with it at the same moment", async () => {
    const challenge = await giveChallenge(world.ctx, logIn);
    const taken = await Promise.all(
      Array.from({ length: 10 }, () => takeChallenge(world.ctx, challenge, logIn)),
    );
    expect(taken.filter(Boolean)).toHaveLength(1);
  });

  it("a challenge is good for its own purpose and its own user", async () => {
    const seven = userId(7);
    const given = { act: "confirm", user: seven } as const;
    for (const purpose of [
      logIn,
      { act: "add", user: seven },
      { act: "confirm", user: userId(8) },
    ] as const) {
      const challenge = await giveChallenge(world.ctx, given);
      expect(await takeChallenge(world.ctx, challenge, purpose)).toBe(false);
      // The attempt has used it up.
      expect(await takeChallenge(world.ctx, challenge, given)).toBe(false);
    }
    expect(await takeChallenge(world.ctx, "made up", logIn)).toBe(false);
  });

  it("a challenge ends after five minutes, and is stored as a digest", async () => {
    const challenge = await giveChallenge(world.ctx, logIn);
    const stored = await findKeys(world.ctx.redis, "challenge:*");
    expect(stored.length).toBeGreaterThan(0);
    expect(stored.join()).not.toContain(challenge);
    for (const key of stored) {
      const life = await world.ctx.redis.ttl(key);
      expect(life).toBeGreaterThan(0);
      expect(life).toBeLessThanOrEqual(300);
    }
  });
});
