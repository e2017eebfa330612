import type { Ctx } from "../../src/context.ts";

/** What a verb meets in a process that has ended: nothing it says to Redis arrives any more. */
export class Ended extends Error {}

/**
 * Another process on the same database, which ends before its command number `commands` + 1; promises
 * of jobs count as commands. It remembers nothing of what others have read.
 */
export function endingAfter(ctx: Ctx, commands: number): Ctx {
  let left = commands;
  const counted = <Target extends object>(target: Target): Target =>
    new Proxy(target, {
      get(_, property) {
        const value: unknown = Reflect.get(target, property, target);
        if (typeof value !== "function") return value;
        return (...args: unknown[]): unknown => {
          left -= 1;
          if (left < 0) throw new Ended(`before ${String(property)}`);
          return Reflect.apply(value, target, args);
        };
      },
    });
  return { ...ctx, redis: counted(ctx.redis), jobs: counted(ctx.jobs) };
}

/** A process that knows nothing yet. */
export function freshProcess(ctx: Ctx): Ctx {
  return endingAfter(ctx, Infinity);
}
