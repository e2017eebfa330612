import type { Ctx } from "../../src/context.ts";
import type { RedisClient } from "../../src/redis/redis-client.ts";

export interface HeldProcess {
  ctx: Ctx;
  /** Resolves once this number of commands waits. */
  waiting(count: number): Promise<void>;
  /** Sends the waiting commands, and all later ones at once. */
  release(): void;
}

/** A process whose commands on `key` wait until they are released. */
export function holdCommands(ctx: Ctx, key: string): HeldProcess {
  let open = false;
  const queue: (() => void)[] = [];
  const redis = new Proxy<RedisClient>(ctx.redis, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      const command = value as (...args: unknown[]) => unknown;
      return (...args: unknown[]): unknown => {
        if (open || !args.includes(key)) return command.apply(target, args);
        const turn = new Promise<void>((resolve) => queue.push(resolve));
        return turn.then(() => command.apply(target, args));
      };
    },
  });
  return {
    ctx: { ...ctx, redis },
    async waiting(count) {
      while (queue.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
    },
    release() {
      open = true;
      for (const go of queue.splice(0)) go();
    },
  };
}
