import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys, ttlOf } from "../../redis/keys.ts";
import { Invalid } from "../errors.ts";
import { findRequest, isProtected, mustAsk } from "../graph/follow-requests.ts";
import {
  clearFollowOptions,
  type FollowEdge,
  type FollowOptions,
  isFollowing,
  readFollow,
  writeFollowOptions,
} from "../graph/follows.ts";
import { leaveLists } from "../graph/lists.ts";
import { isBlocked, requireNoBlock } from "../graph/relations.ts";
import { type Stamp, stampAt } from "../ids.ts";
import { type Notice, notify, retract } from "../notifications/store.ts";
import { reconcile } from "../promises.ts";
import { rebuildHome } from "../timelines/home.ts";
import { addFollowee, removeFollowee } from "../timelines/home-store.ts";
import { findUsers } from "../users/store.ts";
import { addEdge, type EdgeKind, removeEdge } from "./write-edge.ts";

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

const following: EdgeKind<FollowEdge> = {
  list: ({ follower }) => keys.followings(follower),
  member: ({ followee }) => followee,
  promise: (ctx, edge) => ctx.jobs.chore("reconcile-follow", edge, "later"),
  reconcile: reconcileFollow,
};

/** The job promised by follow and unfollow: makes all other data agree with the follower's list. May run twice. */
export async function reconcileFollow(ctx: Ctx, edge: FollowEdge): Promise<void> {
  await reconcile(
    () => standingFollow(ctx, edge),
    async (since) => {
      await mirrorFollow(ctx, edge, since);
      if (since === undefined) await forgetFollowee(ctx, edge);
      // Just made, or being rebuilt by a process that may not know of this follow yet.
      else if ((await addFollowee(ctx, edge)) === "unfilled") await rebuildHome(ctx, edge.follower);
    },
  );
}

/**
 * The stamp of a follow. A block wins over a follow, which ends here: the later of the two writes finds the other. So
 * does protection over a new follow, one that the followee does not list yet, unless the followee has accepted it.
 */
async function standingFollow(ctx: Ctx, edge: FollowEdge): Promise<Stamp | undefined> {
  const { follower, followee } = edge;
  const { since, isListed } = await readFollow(ctx, edge);
  if (since === undefined) return undefined;
  const isAllowed = isListed || (await mayBegin(ctx, edge));
  if (isAllowed && !(await isBlocked(ctx, follower, followee))) return since;
  await ctx.redis.zrem(keys.followings(follower), followee);
  return undefined;
}

/** Whether a new follow needs no answer, or has it. */
async function mayBegin(ctx: Ctx, edge: FollowEdge): Promise<boolean> {
  const [isClosed, request = 0] = await Promise.all([
    isProtected(ctx, edge.followee),
    findRequest(ctx, edge),
  ]);
  return !isClosed || request < 0;
}

/** Makes `followers`, including the stamp, and the followee's notifications agree with the truth. */
async function mirrorFollow(ctx: Ctx, edge: FollowEdge, since: Stamp | undefined): Promise<void> {
  const { follower, followee } = edge;
  const followers = keys.followers(followee);
  const notice: Notice = { to: followee, kind: "follow", actor: follower };
  if (since === undefined) {
    await ctx.redis.zrem(followers, follower);
    await retract(ctx, notice);
    return;
  }
  await ctx.redis.zadd(followers, since, follower);
  // An older follow was notified of in its time. A notice that was dismissed since does not come back.
  const isNews = since / 1000 > ctx.now() - ttlOf("dismissed") * 1000;
  if (isNews) await notify(ctx, { ...notice, stamp: since });
}

/** After the end of a follow: takes the followee out of the follower's lists, options and home. May run twice. */
export async function forgetFollowee(ctx: Ctx, edge: FollowEdge): Promise<void> {
  await clearFollowOptions(ctx, edge);
  await leaveLists(ctx, edge.follower, edge.followee);
  await removeFollowee(ctx, edge);
}

/** The list of the asked user is the truth: an entry is a request, and its sign tells whether it is accepted. */
const requesting: EdgeKind<FollowEdge> = {
  list: ({ followee }) => keys.followRequests(followee),
  member: ({ follower }) => follower,
  promise: promiseReconciling,
  reconcile: reconcileRequest,
};

async function promiseReconciling(ctx: Ctx, { followee, follower }: FollowEdge): Promise<void> {
  await ctx.jobs.chore("reconcile-request", { followee, follower }, "later");
}

/** When this resolves, the follower follows. Does nothing without a request. A block at the same moment wins. */
export async function acceptRequest(ctx: Ctx, edge: FollowEdge): Promise<void> {
  if ((await findRequest(ctx, edge)) === undefined) return;
  await promiseReconciling(ctx, edge);
  await markAccepted(ctx, edge);
  await reconcileRequest(ctx, edge);
}

/** Declines or withdraws a request; does nothing without one. The requester is not told, and may ask again. */
export async function endRequest(ctx: Ctx, edge: FollowEdge): Promise<void> {
  if ((await findRequest(ctx, edge)) !== undefined) await removeEdge(ctx, requesting, edge);
}

/** The mark; undefined if the request is gone. */
async function markAccepted(ctx: Ctx, { follower, followee }: FollowEdge) {
  const mark = -stampAt(ctx.now(), follower);
  const key = keys.followRequests(followee);
  return (await ctx.redis.zadd(key, "XX", "CH", mark, follower)) === 1 ? mark : undefined;
}

/** The job promised by all of these: makes all other data agree with the asked user's list. May run twice. */
export async function reconcileRequest(ctx: Ctx, edge: FollowEdge): Promise<void> {
  await reconcile(
    () => standingRequest(ctx, edge),
    (stamp) => mirrorRequest(ctx, edge, stamp),
  );
}

/**
 * The entry of a request. It ends here beside a block or a follow, or if either is gone. It is accepted here if
 * the account is not protected any more: the later of the two writes finds the other.
 */
async function standingRequest(ctx: Ctx, edge: FollowEdge): Promise<Stamp | undefined> {
  const { follower, followee } = edge;
  const stamp = await findRequest(ctx, edge);
  if (stamp === undefined) return undefined;
  const [people, blocked, isClosed, { isListed }] = await Promise.all([
    findUsers(ctx, [follower, followee]),
    isBlocked(ctx, follower, followee),
    isProtected(ctx, followee),
    readFollow(ctx, edge),
  ]);
  if (people.size < 2 || blocked || isListed) {
    await ctx.redis.zrem(keys.followRequests(followee), follower);
    return undefined;
  }
  return isClosed || stamp < 0 ? stamp : await markAccepted(ctx, edge);
}

async function mirrorRequest(ctx: Ctx, edge: FollowEdge, stamp: Stamp | undefined): Promise<void> {
  const { follower, followee } = edge;
  const notice = { to: followee, kind: "follow_request", actor: follower } as const;
  if (stamp !== undefined && stamp > 0) {
    await ctx.redis.zadd(keys.requested(follower), stamp, followee);
    await notify(ctx, { ...notice, stamp });
    return;
  }
  if (stamp !== undefined) await addEdge(ctx, following, edge);
  await ctx.redis.zrem(keys.requested(follower), followee);
  await retract(ctx, notice);
  // The mark goes last: the follow needs it. A new request in between, after an unfollow, would go with it.
  if (stamp !== undefined) await ctx.redis.zrem(keys.followRequests(followee), follower);
}
