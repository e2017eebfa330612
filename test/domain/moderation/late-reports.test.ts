import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type UserId, userId } from "../../../src/domain/ids.ts";
import { keepReport, openCases, resolveReports } from "../../../src/domain/moderation/store.ts";
import type { Subject } from "../../../src/domain/moderation/audit.ts";
import { keys, mostOf } from "../../../src/redis/keys.ts";
import { readAll } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { emptyRedis } from "../../support/world/test-redis.ts";

const subject: Subject = { kind: "person", person: userId(7) };
const [one, two] = [userId(1), userId(2)];
const from = (reporter: UserId, stamp: number, comment = "") => ({
  reporter,
  reason: "other" as const,
  comment,
  stamp,
});

describe("a report", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());
  beforeEach(() => emptyRedis(world.ctx.redis));

  const queue = () => readAll((after) => openCases(world.ctx, after));

  it("a report that arrives while others are decided stays in the queue", async () => {
    await keepReport(world.ctx, subject, from(one, 1000));
    // Written, but not in the queue yet, when the decision reads; then its subject is in the queue still.
    const { redis } = world.ctx;
    const late = Object.create(redis, {
      clearFields: {
        value: async (...args: [string, string]) => {
          await keepReport(world.ctx, subject, from(two, 2000));
          return await redis.clearFields(...args);
        },
      },
    }) as typeof redis;
    await resolveReports({ ...world.ctx, redis: late }, subject);
    expect(await queue()).toMatchObject([{ subject, reports: [{ reporter: two }] }]);
  });

  it("a report too many that arrives while the others are decided leaves no empty case", async () => {
    const { redis } = world.ctx;
    for (let nth = 1; nth <= mostOf("reportsOf"); nth += 1)
      await keepReport(world.ctx, subject, from(userId(nth), nth));
    const late = Object.create(redis, {
      keepReport: {
        value: async (...args: [string, string, string, number]) => {
          const answer = await redis.keepReport(...args);
          await resolveReports(world.ctx, subject);
          return answer;
        },
      },
    }) as typeof redis;
    const last = userId(99);
    expect(await keepReport({ ...world.ctx, redis: late }, subject, from(last, 99))).toBe(true);
    expect([await queue(), await redis.zcard(keys.reportsBy(last))]).toEqual([[], 0]);
  });

  it("a report is not closed by a decision made before it replaced another", async () => {
    for (const id of [one, two]) await keepReport(world.ctx, subject, from(id, 1000));
    const { redis } = world.ctx;
    const late = Object.create(redis, {
      hgetall: {
        value: async (key: string) => {
          const stored = await redis.hgetall(key);
          await keepReport(world.ctx, subject, from(one, 2000, "there is more"));
          return stored;
        },
      },
    }) as typeof redis;
    await resolveReports({ ...world.ctx, redis: late }, subject);
    expect(await queue()).toMatchObject([
      { subject, reports: [{ reporter: one, comment: "there is more" }] },
    ]);
    for (const [id, open] of [
      [one, 1],
      [two, 0],
    ] as const)
      expect(await redis.zcard(keys.reportsBy(id))).toBe(open);
  });
});
