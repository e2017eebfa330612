import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { userId } from "../../../src/domain/ids.ts";
import {
  absoluteSeconds,
  closeAllSessions,
  closeSessions,
  findOpenSession,
  listDevices,
  listSessions,
  openSession,
  sessionPrefix,
} from "../../../src/domain/users/sessions.ts";
import { keys } from "../../../src/redis/keys.ts";
import { startSiteClock } from "../../../src/redis/clocks.ts";
import { endingAfter } from "../../support/world/ending-process.ts";
import { backdateSession } from "../../support/actors/people.ts";
import { connectToTestRedis, createWorld, type World } from "../../support/world/world.ts";
import { countOf } from "../../support/world/test-redis.ts";

describe("the sessions of a user", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  const idsOf = async (user: ReturnType<typeof userId>) =>
    (await listSessions(world.ctx, user)).map((entry) => entry.id);

  it("a session is open from log-in until it is closed, for its owner only", async () => {
    const [owner, other] = [userId(1), userId(2)];
    await openSession(world.ctx, owner, "one");
    expect(await findOpenSession(world.ctx, owner, "one")).toBeGreaterThan(0);
    expect(await findOpenSession(world.ctx, other, "one")).toBeUndefined();
    await closeSessions(world.ctx, other, ["one"]);
    expect(await findOpenSession(world.ctx, owner, "one")).toBeGreaterThan(0);
    await closeSessions(world.ctx, owner, ["one"]);
    expect(await findOpenSession(world.ctx, owner, "one")).toBeUndefined();
  });

  it("a session ends 90 days after log-in", async () => {
    const user = userId(3);
    await openSession(world.ctx, user, "old");
    expect(await world.ctx.redis.ttl(keys.sessions(user))).toBeLessThanOrEqual(absoluteSeconds);
    await backdateSession(world.ctx, user, "old", absoluteSeconds - 60);
    expect(await findOpenSession(world.ctx, user, "old")).toBeGreaterThan(0);
    await backdateSession(world.ctx, user, "old", absoluteSeconds + 600);
    expect(await findOpenSession(world.ctx, user, "old")).toBeUndefined();
  });

  it("an ended session does not come back in a process whose clock is an hour late", async () => {
    const user = userId(6);
    await openSession(world.ctx, user, "ended");
    await backdateSession(world.ctx, user, "ended", absoluteSeconds + 600);
    const real = Date.now();
    vi.useFakeTimers({ toFake: ["Date"], now: real - 60 * 60 * 1000 });
    // A new connection is asked for the time at once.
    const redis = connectToTestRedis("web", world.ctx.config);
    const clock = startSiteClock(redis, () => {});
    while (clock.now() < real) await new Promise((resolve) => setTimeout(resolve, 1));
    const ctx = { ...world.ctx, now: clock.now };
    expect(await findOpenSession(ctx, user, "ended")).toBeUndefined();
    await openSession(ctx, user, "new");
    expect(await findOpenSession(ctx, user, "new")).toBeGreaterThanOrEqual((real - 1000) * 1000);
    clock.stop();
    redis.disconnect();
    vi.useRealTimers();
  });

  it("a new session is listed with its end by a single command", async () => {
    const user = userId(7);
    await openSession(endingAfter(world.ctx, 1), user, "only").catch(() => {});
    expect(await world.ctx.redis.ttl(keys.sessions(user))).toBeGreaterThan(0);
  });

  it("a user has at most fifty sessions: one more ends the oldest", async () => {
    const user = userId(4);
    for (let nth = 1; nth <= 51; nth += 1) {
      await openSession(world.ctx, user, `device${nth}`);
    }
    const ids = await idsOf(user);
    expect(ids).toHaveLength(50);
    expect(ids[0]).toBe("device51");
    expect(ids).not.toContain("device1");
  });

  it("all sessions but one can be ended at once", async () => {
    const user = userId(5);
    for (const session of ["a", "b", "c"]) {
      await openSession(world.ctx, user, session);
      await world.ctx.redis.set(sessionPrefix + session, `{"device":"${session}"}`);
    }
    await world.ctx.redis.set(`${sessionPrefix}b`, "{}");
    const devices = (await listDevices(world.ctx, { id: user, generation: "" })).map((one) => [
      one.session,
      one.device,
    ]);
    expect(Object.fromEntries(devices)).toEqual({ a: "a", b: "", c: "c" });
    await closeAllSessions(world.ctx, user, "b");
    expect(await idsOf(user)).toEqual(["b"]);
    expect(await countOf(world.ctx.redis, `${sessionPrefix}a`, `${sessionPrefix}c`)).toBe(0);
  });
});
