import type { Ctx, Jobs } from "../../../src/context.ts";
import { runChore } from "../../../src/jobs/workers.ts";
import { deliverAll } from "../actors/people.ts";

export interface PromisedJobs {
  /** A context whose chores and deliveries are only recorded. */
  ctx: Ctx;
  /** The recorded jobs; each runs when it is called. */
  promised: (() => Promise<void>)[];
}

/** For tests that decide themselves when jobs run. */
export function recordJobs(real: Ctx): PromisedJobs {
  const promised: PromisedJobs["promised"] = [];
  const jobs: Jobs = {
    ...real.jobs,
    chore: async (name, data) => void promised.push(() => runChore(real, name, data)),
    deliverTweet: async (id) => void promised.push(() => deliverAll(real, id)),
  };
  return { ctx: { ...real, jobs }, promised };
}

/** Does some work, and then all chores that it promises, and that these promise. */
export async function withItsChores(
  real: Ctx,
  work: (ctx: Ctx) => Promise<unknown>,
): Promise<void> {
  const waiting: (() => Promise<void>)[] = [];
  const jobs: Jobs = {
    ...real.jobs,
    chore: async (name, data) => void waiting.push(() => runChore(ctx, name, data)),
  };
  const ctx: Ctx = { ...real, jobs };
  await work(ctx);
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await next();
}
