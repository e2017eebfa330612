import { setTimeout as sleep } from "node:timers/promises";
import { Queue } from "bullmq";
import { boot } from "../../../src/boot.ts";
import type { Ctx } from "../../../src/context.ts";
import type { UserId } from "../../../src/domain/ids.ts";
import { follow } from "../../../src/domain/actions/follow.ts";
import { prepareHome } from "../../../src/domain/timelines/home.ts";
import { hashPassword } from "../../../src/domain/users/passwords.ts";
import { createUser } from "../../../src/domain/users/sign-up.ts";
import { queuePrefix } from "../../../src/jobs/queue.ts";
import type { Lab } from "./lab.ts";
import { inLanes } from "./lanes.ts";
import { configInside } from "./site.ts";

const lanes = 64;

export const password = "drill sparrow 7";

/**
 * The domain's verbs in the drill's own process, on the same Redis as the site: to prepare, and to
 * look afterwards. Passwords cost little, so that many users can log in at once.
 */
export async function inside(lab: Lab, urls: string[], settings = {}): Promise<Ctx> {
  const config = { ...configInside(settings), bcryptCost: 4 };
  const booted = await boot(config, { urls });
  lab.onClose(() => booted.close());
  return booted.ctx;
}

/** A queue of the site, to look into and to add to. */
export function openQueue(lab: Lab, ctx: Ctx, name: string): Queue {
  const queue = new Queue(name, { connection: ctx.redis, prefix: queuePrefix });
  lab.onClose(() => queue.close());
  return queue;
}

export interface Person {
  id: UserId;
  name: string;
  /** Names of the users that the drill made them follow. */
  follows: string[];
}

/** Users PREFIX1, PREFIX2 …; each follows the `following` next ones, in a ring. */
export async function makePeople(
  ctx: Ctx,
  prefix: string,
  count: number,
  following = 0,
): Promise<Person[]> {
  const pass = await hashPassword(password, ctx.config.bcryptCost);
  const names = Array.from({ length: count }, (_, nth) => `${prefix}${nth + 1}`);
  const people = await inLanes(names, lanes, async (name): Promise<Person> => {
    const id = await createUser(ctx, { name, fullname: `Drill ${name}`, pass });
    await prepareHome(ctx, id, "new");
    return { id, name, follows: [] };
  });
  for (const [nth, { id, follows }] of people.entries())
    for (let step = 1; step <= Math.min(following, count - 1); step += 1) {
      const other = people[(nth + step) % count];
      if (other === undefined) continue;
      await follow(ctx, { follower: id, followee: other.id });
      follows.push(other.name);
    }
  return people;
}

/** Milliseconds until no job waits or runs; throws after `patience`, saying what there was. */
export async function untilIdle(ctx: Ctx, patience = 60_000): Promise<number> {
  const began = performance.now();
  for (;;) {
    const counts = await ctx.jobs.counts().catch(() => undefined);
    const notDue = await choresNotDue(ctx).catch(() => 0);
    const open = counts?.filter(({ queue, state, count }) => {
      const later = queue === "chores" && state === "delayed" ? notDue : 0;
      return state !== "failed" && count > later;
    });
    const took = performance.now() - began;
    if (open?.length === 0) return took;
    if (took > patience) {
      const told = open?.map(({ queue, state, count }) => `${queue} ${state}: ${count}`);
      throw new Error(`jobs do not end: ${told?.join(", ") ?? "the queue does not answer"}`);
    }
    await sleep(100);
  }
}

/** Chores that were promised for much later: a look in an hour, or tomorrow. */
async function choresNotDue({ redis }: Ctx): Promise<number> {
  // BullMQ's score of a delayed job: the time in milliseconds, and twelve bits.
  const due = (Date.now() + 60_000) * 0x1000;
  return await redis.zcount(`${queuePrefix}:chores:delayed`, due, "+inf");
}

/** How many jobs are dead letters. */
export async function deadLetters(ctx: Ctx): Promise<number> {
  const counts = await ctx.jobs.counts();
  return counts.reduce((sum, { state, count }) => sum + (state === "failed" ? count : 0), 0);
}
