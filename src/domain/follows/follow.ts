import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { Invalid } from "../errors.ts";
import type { UserId } from "../ids.ts";
import { type Notice, notify, retract } from "../notifications/notify.ts";
import { stampAt } from "../stamp.ts";
import { isFollowing } from "./store.ts";

export interface Edge {
  follower: UserId;
  followee: UserId;
}

/**
 * The follower's `followings` are the truth; `followers` mirrors them. The job is promised first:
 * should this process end between the two, it makes them agree. Following twice changes nothing.
 * Throws Invalid for oneself.
 */
export async function writeFollow(ctx: Ctx, edge: Edge): Promise<void> {
  if (edge.follower === edge.followee) throw new Invalid({ form: "follow.self" });
  await ctx.jobs.settleFollow(edge);
  const stamp = stampAt(ctx.now(), edge.followee);
  await ctx.redis.zadd(keys.followings(edge.follower), "NX", stamp, edge.followee);
  await mirrorFollow(ctx, edge);
}

/** See writeFollow. Unfollowing somebody who is not followed changes nothing. */
export async function writeUnfollow(ctx: Ctx, edge: Edge): Promise<void> {
  await ctx.jobs.settleFollow(edge);
  await ctx.redis.zrem(keys.followings(edge.follower), edge.followee);
  await mirrorFollow(ctx, edge);
}

/** Makes `followers` and what the followee is told agree with the truth, stamp included; returns whether `follower` follows `followee`. */
export async function mirrorFollow(ctx: Ctx, edge: Edge): Promise<boolean> {
  const since = await isFollowing(ctx, edge);
  const followers = keys.followers(edge.followee);
  const notice: Notice = { to: edge.followee, kind: "follow", actor: edge.follower };
  if (since === undefined) {
    await ctx.redis.zrem(followers, edge.follower);
    await retract(ctx, notice);
    return false;
  }
  await ctx.redis.zadd(followers, since, edge.follower);
  await notify(ctx, { ...notice, stamp: since });
  return true;
}
