import type { Ctx } from "../../src/context.ts";

/** What a verb meets in a process that has ended: nothing it says to Redis arrives any more. */
export class Ended extends Error {}

/**
 * Another process on the same database, which ends before its command number `commands` + 1; promises
 * of jobs count as commands. It remembers nothing of what others have read.
 */
export function endingAfter(ctx: Ctx, commands: number): Ctx {
  return watched(ctx, (nth, name) => {
    if (nth > commands) throw new Ended(`before ${name}`);
  });
}

/** A process that pauses after so many commands, until `meanwhile` is over. */
export function pausingAfter(ctx: Ctx, commands: number, meanwhile: () => Promise<unknown>): Ctx {
  return watched(ctx, (nth) => (nth === commands + 1 ? meanwhile() : undefined));
}

/** A process that knows nothing yet. */
export function freshProcess(ctx: Ctx): Ctx {
  return watched(ctx, () => undefined);
}

/** Runs `before` each command, and waits for it if there is something to wait for. */
function watched(ctx: Ctx, before: (nth: number, name: string) => Promise<unknown> | void): Ctx {
  let count = 0;
  const wrap = <Target extends object>(target: Target): Target =>
    new Proxy(target, {
      get(_, property) {
        const value: unknown = Reflect.get(target, property, target);
        if (typeof value !== "function") return value;
        // Sent as a whole, by its exec.
        if (property === "pipeline")
          return (...args: unknown[]): object => wrap(Reflect.apply(value, target, args) as object);
        return (...args: unknown[]): unknown => {
          count += 1;
          const run = (): unknown => Reflect.apply(value, target, args);
          const pause = before(count, String(property));
          return pause === undefined ? run() : pause.then(run);
        };
      },
    });
  return { ...ctx, redis: wrap(ctx.redis), jobs: wrap(ctx.jobs) };
}
