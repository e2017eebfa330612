import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { findRequest, isProtected, someRequesters } from "../graph/follow-requests.ts";
import { type FollowEdge, readFollow } from "../graph/follows.ts";
import { isBlocked } from "../graph/relations.ts";
import { type UserId, type Stamp, stampAt } from "../ids.ts";
import { notify, retract } from "../notifications/store.ts";
import { reconcile } from "../promises.ts";
import { findUsers } from "../users/store.ts";
import { following } from "./reconcile-follow.ts";
import { addEdge, type EdgeKind, removeEdge } from "./write-edge.ts";

/** The list of the asked user is the truth: an entry is a request, and its sign tells whether it is accepted. */
export const requesting: EdgeKind<FollowEdge> = {
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

/** Max requests that a run of the chore accepts. */
const atOnce = 50;

/** The chore promised when protection ends: accepts all requests, a part in each run. Stops if it has begun again. */
export async function acceptRequests(
  ctx: Ctx,
  { user: followee }: { user: UserId },
): Promise<void> {
  if (await isProtected(ctx, followee)) return;
  const requesters = await someRequesters(ctx, followee, atOnce);
  for (const follower of requesters) await reconcileRequest(ctx, { follower, followee });
  if (requesters.length === atOnce) await ctx.jobs.chore("accept-requests", { user: followee });
}
