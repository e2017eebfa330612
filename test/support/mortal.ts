import type { Ctx, Jobs, RedisClient } from "../../src/context.ts";

/** Thrown by everything that a process would have done after its end. */
class Died extends Error {}

/** A context whose process ends: so many commands and promises of work go through, and none after. */
export function mortal(ctx: Ctx, commands: number): Ctx {
  let left = commands;
  const mortally = <Target extends object>(target: Target): Target =>
    new Proxy(target, {
      get(_, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        // Sent as a whole, by its exec.
        if (name === "pipeline")
          return (...args: unknown[]): object =>
            mortally(Reflect.apply(value, target, args) as object);
        return async (...args: unknown[]): Promise<unknown> => {
          if (left <= 0) throw new Died("the process has ended");
          left -= 1;
          return await (value as (...args: unknown[]) => unknown).apply(target, args);
        };
      },
    });
  return { ...ctx, redis: mortally<RedisClient>(ctx.redis), jobs: mortally<Jobs>(ctx.jobs) };
}

/** Resolves once it is done or its process has ended. */
export async function toItsEnd(work: Promise<void>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof Died)) throw error;
  });
}
