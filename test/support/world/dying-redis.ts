import type { RedisClient } from "../../../src/redis/redis-client.ts";

/** A client of a process that is killed after some commands or pipelines: all further ones fail, without a trace. */
export function dyingAfter(redis: RedisClient, commands: number): RedisClient {
  let left = commands;
  return new Proxy(redis, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...args: unknown[]): unknown => {
        left -= 1;
        if (left < 0) throw new Error("killed");
        return (value as (...args: unknown[]) => unknown).apply(target, args);
      };
    },
  });
}
