import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys, mostOf, ttlOf } from "../../redis/keys.ts";
import type { UserId } from "../ids.ts";
import { digestOf } from "../apps/store.ts";
import type { Subscription } from "./subscription.ts";

const daySeconds = ttlOf("pushed");

/**
 * Claims the push of an act ("like:12:7") to a subscription, once a day: false if it was claimed before, or if the
 * user has had enough pushes. Claiming comes before sending, so a job that runs twice sends once.
 */
export async function claimPush(
  ctx: Ctx,
  user: UserId,
  subscription: Subscription,
  act: string,
): Promise<boolean> {
  const key = keys.pushed(user);
  const now = ctx.now();
  const claim = nameOf(subscription, act);
  const [, count, added] = await exec(ctx.redis, [
    ["zremrangebyscore", key, "-inf", now - daySeconds * 1000],
    ["zcard", key],
    ["zadd", key, "NX", now, claim],
    ["expire", key, daySeconds],
  ]);
  if (added !== 1) return false;
  if (Number(count) < mostOf("pushed")) return true;
  await ctx.redis.zrem(key, claim);
  return false;
}

/** For a push that certainly was not taken: it may be tried again. */
export async function releasePush(
  ctx: Ctx,
  user: UserId,
  subscription: Subscription,
  act: string,
): Promise<void> {
  await ctx.redis.zrem(keys.pushed(user), nameOf(subscription, act));
}

function nameOf({ holder }: Subscription, act: string): string {
  return `${digestOf(holder.id).slice(0, 16)}:${act}`;
}
