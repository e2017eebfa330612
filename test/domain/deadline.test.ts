import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contextWithDeadlines, pauseDeadline, runWithDeadline } from "../../src/domain/deadline.ts";
import { Invalid, Unauthenticated, Unavailable } from "../../src/domain/errors.ts";
import { relationsTo } from "../../src/domain/graph/relations.ts";
import type { Deadline } from "../../src/domain/scope.ts";
import { newPerson } from "../support/actors/people.ts";
import { createWorld, type World } from "../support/world/world.ts";

const passed = { passed: true, writes: false, pauses: 0, pauseEnded: 0 };

/** What happens to work under a deadline; by default, one that has passed. */
async function outcomeOf(work: () => Promise<unknown>, deadline: Deadline = passed) {
  return await new Promise((resolve) =>
    runWithDeadline(deadline, undefined, () => {
      work().then(resolve, resolve);
    }),
  );
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
