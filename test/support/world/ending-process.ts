import { setTimeout as sleep } from "node:timers/promises";
import type { Ctx } from "../../../src/context.ts";

/** Rejection of every command of a process that has ended: none of them reaches Redis. */
export class Ended extends Error {}

/**
 * Another process on the same database, which ends before its command number `commands` + 1; promises
 * of jobs count as commands. Its memory is empty.
 */
export function endingAfter(ctx: Ctx, commands: number): Ctx {
  return watched(ctx, (nth, name) =>
    nth > commands ? Promise.reject(new Ended(`before ${name}`)) : undefined,
  );
}

/** Resolves once `work` is done or its process has ended. */
export async function untilEnded(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof Ended)) throw error;
  });
}

/** A process that pauses after so many commands, until `meanwhile` is over. */
export function pausingAfter(ctx: Ctx, commands: number, meanwhile: () => Promise<unknown>): Ctx {
  return watched(ctx, (nth) => (nth === commands + 1 ? meanwhile() : undefined));
}

/** A process that pauses once, before the first of some commands, until `meanwhile` is over. */
export function pausingBefore(
  ctx: Ctx,
  commands: readonly string[],
  meanwhile: () => Promise<unknown>,
): Ctx {
  let isOver = false;
  return pausingBeforeEach(ctx, commands, () => {
    if (isOver) return undefined;
    isOver = true;
    return meanwhile();
  });
}

/** A process that pauses before each of some commands, until `meanwhile` is over. */
export function pausingBeforeEach(
  ctx: Ctx,
  commands: readonly string[],
  meanwhile: () => Promise<unknown> | undefined,
): Ctx {
  return watched(ctx, (_, name) => (commands.includes(name) ? meanwhile() : undefined));
}

/** A process whose commands each take so many milliseconds longer. */
export function slowProcess(ctx: Ctx, milliseconds: number): Ctx {
  return watched(ctx, () => sleep(milliseconds));
}

/** A process with an empty memory. */
export function freshProcess(ctx: Ctx): Ctx {
  return watched(ctx, () => undefined);
}

/** Runs `before` each command, and waits for its promise. A pipeline counts as one command, its exec. */
function watched(
  ctx: Ctx,
  before: (nth: number, name: string) => Promise<unknown> | undefined,
): Ctx {
  let count = 0;
  const wrap = <Target extends object>(target: Target): Target =>
    new Proxy(target, {
      get(_, property) {
        const value: unknown = Reflect.get(target, property, target);
        if (typeof value !== "function") return value;
        // Sends nothing.
        if (property === "defineCommand") return value.bind(target) as unknown;
        if (property === "pipeline" || property === "multi")
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
