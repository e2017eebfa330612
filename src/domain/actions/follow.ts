import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { Invalid } from "../errors.ts";
import { mustAsk } from "../graph/follow-requests.ts";
import {
  clearFollowOptions,
  type FollowEdge,
  type FollowOptions,
  isFollowing,
  writeFollowOptions,
} from "../graph/follows.ts";
import { requireNoBlock } from "../graph/relations.ts";
import { stampAt } from "../ids.ts";
import { endRequest, requesting } from "./follow-request.ts";
import { following } from "./reconcile-follow.ts";
import { addEdge, removeEdge } from "./write-edge.ts";

/** Max followings of a user, with those that wait for an answer: rebuilding a home timeline reads each of them. */
export const followingsAtMost = 10_000;

/**
 * When this resolves, the followee's tweets are in the follower's home; one that is absent stays so until it is read.
 * A protected account is asked instead. A block at the same moment ends the follow or request. Throws Invalid if both
 * are the same user or there are too many followings, NotFound for a user who is gone or suspended, Blocked.
 */
export async function follow(ctx: Ctx, edge: FollowEdge): Promise<void> {
  if (edge.follower === edge.followee) throw new Invalid({ form: "follow.self" });
  await Promise.all([
    requireNoBlock(ctx, edge.follower, edge.followee),
    requireFewFollowings(ctx, edge),
  ]);
  const asks = await mustAsk(ctx, edge);
  await addEdge(ctx, asks ? requesting : following, edge);
  // The account became protected meanwhile, which has ended the new follow.
  if (!asks && (await mustAsk(ctx, edge))) await addEdge(ctx, requesting, edge);
}

async function requireFewFollowings(ctx: Ctx, edge: FollowEdge): Promise<void> {
  const [followings, requested] = await exec(ctx.redis, [
    ["zcard", keys.followings(edge.follower)],
    ["zcard", keys.requested(edge.follower)],
  ]);
  const count = Number(followings) + Number(requested);
  if (count < followingsAtMost || (await isFollowing(ctx, edge)) !== undefined) return;
  throw new Invalid({ form: "follow.many" });
}

/**
 * Withdraws the request, or ends the follow: when this resolves, the followee is in no list of the follower, and their
 * tweets are gone from home. The request goes first, as one that was just accepted would write the follow again.
 */
export async function unfollow(ctx: Ctx, edge: FollowEdge): Promise<void> {
  await endRequest(ctx, edge);
  await removeEdge(ctx, following, edge);
  await ctx.memory.settled();
}

/**
 * Changes options of a follow; those that are left out stay. Does nothing without the follow. Retweets are delivered
 * in any case, and left out when home and lists are read: so a change counts at once, for what was delivered before
 * as well.
 */
export async function changeFollowOptions(
  ctx: Ctx,
  edge: FollowEdge,
  options: Partial<FollowOptions>,
): Promise<void> {
  if ((await isFollowing(ctx, edge)) === undefined) return;
  await writeFollowOptions(ctx, edge, options, stampAt(ctx.now(), edge.followee));
  // The follow ended meanwhile: the later of the two writes finds the other.
  if ((await isFollowing(ctx, edge)) === undefined) await clearFollowOptions(ctx, edge);
}
