import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { Invalid } from "../errors.ts";
import type { UserId } from "../ids.ts";
import { type Notice, notify, retract } from "../notifications/notify.ts";
import { promiseRemoval } from "../promises.ts";
import { stampAt } from "../stamp.ts";
import { isBlocked, requireNoBlock } from "../users/block.ts";
import { followCounts, isFollowing } from "./store.ts";

/** So many can one person follow: when a home timeline is made anew, each of them is asked. */
export const followingsAtMost = 10_000;

export interface Edge {
  follower: UserId;
  followee: UserId;
}

/**
 * The follower's `followings` are the truth; `followers` mirrors them. The job is promised first:
 * should this process end between the two, it makes them agree. Following twice changes nothing.
 * Returns whether the follow holds: a block at the same moment ends it. Throws Invalid for oneself and
 * for one too many, NotFound for somebody who is gone or suspended, Blocked.
 */
export async function writeFollow(ctx: Ctx, edge: Edge): Promise<boolean> {
  if (edge.follower === edge.followee) throw new Invalid({ form: "follow.self" });
  await Promise.all([requireNoBlock(ctx, edge.follower, edge.followee), requireRoom(ctx, edge)]);
  await ctx.jobs.chore("settle-follow", edge, "later");
  const stamp = stampAt(ctx.now(), edge.followee);
  await ctx.redis.zadd(keys.followings(edge.follower), "NX", stamp, edge.followee);
  return await mirrorFollow(ctx, edge);
}

async function requireRoom(ctx: Ctx, edge: Edge): Promise<void> {
  const { followings } = await followCounts(ctx, edge.follower);
  if (followings < followingsAtMost || (await isFollowing(ctx, edge)) !== undefined) return;
  throw new Invalid({ form: "follow.many" });
}

/** See writeFollow. Unfollowing somebody who is not followed changes nothing. */
export async function writeUnfollow(ctx: Ctx, edge: Edge): Promise<void> {
  await promiseRemoval(ctx, () => ctx.jobs.chore("settle-follow", edge, "later"));
  await ctx.redis.zrem(keys.followings(edge.follower), edge.followee);
  await mirrorFollow(ctx, edge);
}

/**
 * Makes `followers`, stamp included, and what the followee is told agree with the truth; returns whether
 * `follower` follows `followee`.
 * A block wins over the follow: whichever of the two is written last finds the other.
 */
export async function mirrorFollow(ctx: Ctx, edge: Edge): Promise<boolean> {
  const { follower, followee } = edge;
  const since = await isFollowing(ctx, edge);
  const ends = since !== undefined && (await isBlocked(ctx, follower, followee));
  if (ends) await ctx.redis.zrem(keys.followings(follower), followee);
  const followers = keys.followers(followee);
  const notice: Notice = { to: followee, kind: "follow", actor: follower };
  if (since === undefined || ends) {
    await ctx.redis.zrem(followers, follower);
    await retract(ctx, notice);
    return false;
  }
  await ctx.redis.zadd(followers, since, follower);
  await notify(ctx, { ...notice, stamp: since });
  return true;
}
