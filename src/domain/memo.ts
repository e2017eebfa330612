import type { Ctx } from "../context.ts";
import type { RedisClient } from "../redis/redis-client.ts";
import { currentScope, expiresAt, withoutCachingNow } from "./scope.ts";

/** Derives a value from each object once. The value is forgotten with its object. */
export function memo<Source extends object, Value>(make: (source: Source) => Value) {
  const values = new WeakMap<Source, { value: Value }>();
  return (source: Source): Value => {
    const present = values.get(source);
    if (present !== undefined) return present.value;
    const value = make(source);
    values.set(source, { value });
    return value;
  };
}

/** State of this process for each Redis client, made at the first use: tests run several sites in one process. */
export function perClient<State>(make: () => State): (ctx: Pick<Ctx, "redis">) => State {
  const stateOf = memo((_redis: RedisClient) => make());
  return ({ redis }) => stateOf(redis);
}

/**
 * Reads a value at most once in this time, also if many ask at once: they wait for one read, which no request's deadline
 * ends. Pages that show it are good until the next read.
 */
export function readRarely<Value>(
  milliseconds: number,
  read: (ctx: Ctx, now: number) => Promise<Value>,
): (ctx: Ctx) => Promise<Value> {
  type Read = { value: Value; at: number };
  const lastOf = perClient<{ read?: Read; underWay?: Promise<Read> }>(() => ({}));
  return async (ctx) => {
    const last = lastOf(ctx);
    const now = withoutCachingNow(ctx);
    const readAgain = async () => {
      try {
        last.read = { value: await read(ctx, now), at: now };
        return last.read;
      } finally {
        delete last.underWay;
      }
    };
    const isGood = last.read !== undefined && Math.abs(now - last.read.at) < milliseconds;
    if (!isGood) last.underWay ??= currentScope.exit(readAgain);
    const { value, at } = (isGood ? last.read : await last.underWay) as Read;
    expiresAt(at + milliseconds);
    return value;
  };
}
