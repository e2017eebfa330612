import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contextWithDeadlines, runWithDeadline } from "../../src/domain/deadline.ts";
import { Unavailable } from "../../src/domain/errors.ts";
import { relationsTo } from "../../src/domain/graph/relations.ts";
import { newPerson } from "../support/actors/people.ts";
import { createWorld, type World } from "../support/world/world.ts";

const passed = { passed: true, writes: false, pauses: 0, pauseEnded: 0 };

/** What happens to work whose deadline has passed. */
async function outcomeOf(work: () => Promise<unknown>): Promise<unknown> {
  return await new Promise((resolve) =>
    runWithDeadline(passed, undefined, () => {
      work().then(resolve, resolve);
    }),
  );
}

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
