import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { Ctx } from "../../src/context.ts";
import { contextWithDeadlines, pauseDeadline } from "../../src/domain/deadline.ts";
import { Invalid, Unauthenticated, Unavailable } from "../../src/domain/errors.ts";
import { relationsTo } from "../../src/domain/graph/relations.ts";
import { type Deadline, recorded, withoutRight } from "../../src/domain/scope.ts";
import { exec } from "../../src/redis/exec.ts";
import { newPerson } from "../support/actors/people.ts";
import { createWorld, type World } from "../support/world/world.ts";

const passed = { passed: true, writes: false, pauses: 0, pauseEnded: 0 };

/** What happens to work under a deadline; by default, one that has passed. */
async function outcomeOf(work: () => Promise<unknown>, deadline: Deadline = passed) {
  return await recorded(undefined, work, deadline).catch((error: unknown) => error);
}

it("work that waited for its turn and was refused tells this only to a viewer whose right has not ended", async () => {
  const refusal = new Invalid({ form: "field.malformed" });
  const ended = new Unauthenticated("ended");
  const work = () => pauseDeadline(() => Promise.reject(refusal));
  const requireRight = async () => Promise.reject(ended);
  const running = { ...passed, passed: false, writes: true };
  expect(await outcomeOf(work, running)).toBe(refusal);
  expect(await outcomeOf(work, { ...running, requireRight })).toBe(ended);
});

describe("a request whose viewer may write", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());
  afterEach(() => vi.restoreAllMocks());

  /** Runs work of a viewer, this long after the last look at the right, which has ended then. */
  const lateWork = async (milliseconds: number, work: (ctx: Ctx) => Promise<unknown>) => {
    const looks: string[] = [];
    const rightSeen = performance.now();
    vi.spyOn(performance, "now").mockReturnValue(rightSeen + milliseconds);
    const requireRight = async () => {
      looks.push("look");
      throw new Unauthenticated("ended");
    };
    const deadline = { ...passed, passed: false, writes: true, rightSeen, requireRight };
    const outcome = await outcomeOf(() => work(contextWithDeadlines(world.ctx)), deadline);
    return { outcome, looks: looks.length };
  };

  const writes: Record<string, (ctx: Ctx) => Promise<unknown>> = {
    "a command": ({ redis }) => redis.set("a", "late"),
    "a script": ({ redis }) => redis.setRole("staff", "1", "admin", 0),
    "a batch": ({ redis }) =>
      exec(redis, [
        ["get", "a"],
        ["set", "a", "late"],
        ["set", "b", "late"],
      ]),
    "a promise": ({ jobs }) => jobs.chore("end-polls", {}),
    "a failed job": ({ jobs }) => jobs.failed.retryAll("chores"),
  };
  it.each(Object.entries(writes))(
    "%s is sent within a tenth of a second after a look at the right; later after another look",
    async (_, write) => {
      expect(await lateWork(90, write)).toMatchObject({ looks: 0 });
      for (const key of ["a", "b"]) await world.ctx.redis.set(key, "in time");
      const { outcome, looks } = await lateWork(110, write);
      expect(outcome).toBeInstanceOf(Unauthenticated);
      expect(looks).toBe(1);
      for (const key of ["a", "b"]) expect(await world.ctx.redis.get(key)).toBe("in time");
    },
  );

  it("reads need no look, and neither does what takes a write back", async () => {
    await world.ctx.redis.set("a", "read");
    expect(await lateWork(110, ({ redis }) => redis.get("a"))).toEqual({
      outcome: "read",
      looks: 0,
    });
    const back = "OK" as const;
    const undo = ({ redis }: Ctx) => withoutRight(async () => redis.set("a", back));
    expect(await lateWork(110, undo)).toEqual({ outcome: back, looks: 0 });
  });

  it("a late write stays before the reads after it", async () => {
    const rightSeen = performance.now();
    const deadline = { ...passed, passed: false, writes: true, rightSeen };
    const requireRight = async () => {
      await sleep(20);
      deadline.rightSeen += 110;
    };
    vi.spyOn(performance, "now").mockReturnValue(rightSeen + 110);
    const { redis } = contextWithDeadlines(world.ctx);
    const both = () => Promise.all([redis.set("a", "new"), redis.get("a")]);
    const looking = Object.assign(deadline, { requireRight });
    expect(await outcomeOf(both, looking)).toEqual(["OK", "new"]);
  });
});

describe("after the deadline of a request", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it("calls made in one line all fail, and no failure is unheard: that would end the process", async () => {
    const unheard: unknown[] = [];
    const hear = (reason: unknown) => void unheard.push(reason);
    process.on("unhandledRejection", hear);
    const ctx = contextWithDeadlines(world.ctx);
    const [id, other] = [await newPerson(world.ctx), await newPerson(world.ctx)];
    const works = [
      async () => relationsTo(ctx, { id }, [other]),
      async () => Promise.all([relationsTo(ctx, { id }, [other]), ctx.redis.get("a")]),
      async () => Promise.all([relationsTo(ctx, { id }, [other]), ctx.jobs.counts()]),
    ];
    for (const work of works) expect(await outcomeOf(work)).toBeInstanceOf(Unavailable);
    await sleep(10);
    process.off("unhandledRejection", hear);
    expect(unheard).toEqual([]);
  });

  it("jobs that failed are neither shown, tried again nor deleted", async () => {
    const { failed } = contextWithDeadlines(world.ctx).jobs;
    const works = [
      async () => failed.page("deliver", { start: 0, limit: 1 }),
      async () => failed.find("deliver", "1"),
      async () => failed.retry("deliver", "1"),
      async () => failed.retryAll("deliver"),
      async () => failed.remove("deliver", "1"),
    ];
    for (const work of works) expect(await outcomeOf(work)).toBeInstanceOf(Unavailable);
  });
});
