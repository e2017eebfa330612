import type { Ctx } from "../../src/context.ts";
import type { UserId } from "../../src/domain/ids.ts";
import { keys } from "../../src/redis/keys.ts";

/** As if a session had been opened so many seconds ago, by the clock of Redis. */
export async function backdate(ctx: Ctx, user: UserId, session: string, seconds: number) {
  const stamp = (Date.now() - seconds * 1000) * 1000;
  await ctx.redis.zadd(keys.sessions(user), "XX", stamp, session);
}
