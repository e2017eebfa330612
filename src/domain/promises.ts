import type { Ctx } from "../context.ts";
import { runWithoutDeadline } from "./deadline.ts";
import { isRedisFull } from "./outage.ts";
import { perClient } from "./memo.ts";
import { sayRarely } from "./say-rarely.ts";
import { isDeepStrictEqual } from "node:util";

/** Milliseconds between two attempts. */
const pause = 5000;
/** Max waiting promises of a process. */
const mostWaiting = 1000;
/** Max attempts: for about an hour. */
const mostTries = 720;
const leftToDoctor = "a removal in a full memory is left to npm run doctor";

interface LatePromise {
  promise: () => Promise<void>;
  tries: number;
}

const waiting = perClient<LatePromise[]>(() => []);

/**
 * Makes the promise that comes before a removal. A full Redis refuses promises, but a removal makes room: so
 * the removal continues, and the promise is made once there is room again. If this process ends before that,
 * `npm run doctor` finds what is left.
 */
export async function promiseRemoval(ctx: Ctx, promise: () => Promise<void>): Promise<void> {
  try {
    await promise();
  } catch (error) {
    if (!isRedisFull(error)) throw error;
    const late = waiting(ctx);
    if (late.length < mostWaiting) late.push({ promise, tries: 0 });
    else sayRarely(ctx.log, "error", { waiting: mostWaiting }, leftToDoctor);
    if (late.length === 1) tryLater(ctx, late);
  }
}

function tryLater(ctx: Ctx, late: LatePromise[]): void {
  // The request is over by then, and so may be the right of its viewer.
  runWithoutDeadline(() => setTimeout(() => void keepPromises(ctx, late), pause).unref());
}

/** Stops at the first failure, as the others would fail too. */
async function keepPromises(ctx: Ctx, late: LatePromise[]): Promise<void> {
  for (let next = late[0]; next !== undefined; next = late[0]) {
    try {
      await next.promise();
    } catch (error) {
      next.tries += 1;
      if (next.tries < mostTries) return tryLater(ctx, late);
      ctx.log.error({ err: error }, leftToDoctor);
    }
    late.shift();
  }
}

/** A truth that changes more often is being written all the time; each writer promises its own job. */
const triesAtMost = 10;

/**
 * Writes what follows from a truth, and again until the truth is still what was read. A process that stood still
 * between its read and its write would otherwise be the last to write, with something out of date. Both may run twice.
 * Resolves to the truth that was written last.
 */
export async function reconcile<Truth>(
  read: () => Promise<Truth>,
  write: (truth: Truth) => Promise<void>,
): Promise<Truth> {
  let truth = await read();
  for (let tries = 0; tries < triesAtMost; tries += 1) {
    await write(truth);
    const again = await read();
    if (isDeepStrictEqual(again, truth)) break;
    truth = again;
  }
  return truth;
}
