import type { Ctx, Jobs } from "../../src/context.ts";
import type { RedisClient } from "../../src/redis/redis-client.ts";

/** Thrown by everything that a process would have done after its end. */
class Died extends Error {}

/** A context whose process ends: so many commands and promises of work go through, and none after. */
export function mortal(ctx: Ctx, commands: number): Ctx {
  let left = commands;
  const live = (): void => {
    if (left <= 0) throw new Died("the process has ended");
    left -= 1;
  };
  const mortally = <Target extends object>(target: Target): Target =>
    new Proxy(target, {
      get(_, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        // Sends nothing.
        if (name === "defineCommand") return value.bind(target) as unknown;
        if (name === "pipeline" || name === "multi")
          return (...args: unknown[]): object =>
            sentAsAWhole(Reflect.apply(value, target, args) as object);
        return async (...args: unknown[]): Promise<unknown> => {
          live();
          return await (value as (...args: unknown[]) => unknown).apply(target, args);
        };
      },
    });
  /** By its exec; what comes before that only adds to it. */
  const sentAsAWhole = (batch: object): object =>
    new Proxy(batch, {
      get(_, name, proxy) {
        const value: unknown = Reflect.get(batch, name);
        if (typeof value !== "function") return value;
        return name === "exec"
          ? async (): Promise<unknown> => {
              live();
              return await (Reflect.apply(value, batch, []) as Promise<unknown>);
            }
          : (...args: unknown[]): unknown => {
              Reflect.apply(value, batch, args);
              return proxy;
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
