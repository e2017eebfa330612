import type { Ctx } from "../context.ts";
import type { RedisClient } from "../redis/redis-client.ts";
import { isFull } from "./outage.ts";

/** Milliseconds between two attempts. */
const pause = 5000;
/** Max waiting promises of a process; max attempts: for about an hour. */
const mostWaiting = 1000;
const mostLooks = 720;

interface LatePromise {
  promise: () => Promise<void>;
  looks: number;
}

const waiting = new WeakMap<RedisClient, LatePromise[]>();

/**
 * Makes the promise that comes before a removal. A full Redis refuses promises, but a removal makes room: so
 * the removal continues, and the promise is made once there is room again. If this process ends before that,
 * `npm run doctor` finds what is left.
 */
export async function promiseRemoval(ctx: Ctx, promise: () => Promise<void>): Promise<void> {
  try {
    await promise();
  } catch (error) {
    if (!isFull(error)) throw error;
    promiseLater(ctx, promise);
  }
}

function promiseLater(ctx: Ctx, promise: () => Promise<void>): void {
  const late = waiting.get(ctx.redis) ?? [];
  waiting.set(ctx.redis, late);
  if (late.length >= mostWaiting) return;
  late.push({ promise, looks: 0 });
  if (late.length === 1) lookLater(ctx, late);
}

function lookLater(ctx: Ctx, late: LatePromise[]): void {
  setTimeout(() => void keepPromises(ctx, late), pause).unref();
}

/** Stops at the first failure, as the others would fail too. */
async function keepPromises(ctx: Ctx, late: LatePromise[]): Promise<void> {
  for (let next = late[0]; next !== undefined; next = late[0]) {
    try {
      await next.promise();
    } catch (error) {
      next.looks += 1;
      if (next.looks < mostLooks) {
        lookLater(ctx, late);
        return;
      }
      ctx.log.error({ err: error }, "a removal in a full memory is left to npm run doctor");
    }
    late.shift();
  }
}
