import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { findRequest, isProtected } from "../graph/follow-requests.ts";
import {
  clearFollowOptions,
  followedAmong,
  type FollowEdge,
  readFollow,
} from "../graph/follows.ts";
import { leaveLists } from "../graph/lists.ts";
import { isBlocked } from "../graph/relations.ts";
import { tweetId, type Stamp } from "../ids.ts";
import { type Notice, notify, retract } from "../notifications/store.ts";
import { reconcile } from "../promises.ts";
import { rebuildHome } from "../timelines/home.ts";
import { allHomeEntries, fillHome, removeFromHome } from "../timelines/home-store.ts";
import { answersTo, repliesBy, userEntries, writtenAmong } from "../timelines/store.ts";
import type { EdgeKind } from "./write-edge.ts";

/**
 * Min tweets of a new followee that are read for home, even if it holds fewer: most of the newest may be replies that
 * the follower does not get, and the rest must still make some pages.
 */
const leastBackFill = 800;

export const following: EdgeKind<FollowEdge> = {
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
      else await backFill(ctx, edge);
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
async function mirrorFollow(
  ctx: Ctx,
  { follower, followee }: FollowEdge,
  since: Stamp | undefined,
): Promise<void> {
  const followers = keys.followers(followee);
  const notice: Notice = { to: followee, kind: "follow", actor: follower };
  if (since === undefined) {
    await ctx.redis.zrem(followers, follower);
    await retract(ctx, notice);
    return;
  }
  await ctx.redis.zadd(followers, since, follower);
  await notify(ctx, { ...notice, stamp: since });
}

/**
 * Adds to the follower's home: the followee's tweets, replies to the followee by the follower's other
 * followings, and the followee's replies to the follower's followings.
 */
async function backFill(ctx: Ctx, { follower, followee }: FollowEdge): Promise<void> {
  const limit = Math.max(ctx.config.timelineCap, leastBackFill);
  const [written, replies, answers] = await Promise.all([
    userEntries(ctx, followee, { before: undefined, limit }),
    repliesBy(ctx, followee, limit),
    answersTo(ctx, followee),
  ]);
  const others = [...replies, ...answers].map((answer) => answer.other);
  const followed = (await followedAmong(ctx, follower, others)).add(follower);
  const hidden = new Set(replies.filter(({ other }) => !followed.has(other)).map(({ id }) => id));
  const entries = [
    ...written.filter(({ id }) => !hidden.has(id)),
    ...answers.filter(({ other }) => followed.has(other)),
  ];
  // Older replies to a user with very many replies stay out until the home timeline is rebuilt.
  const floor = written.length < limit ? 0 : (written.at(-1)?.stamp ?? 0);
  const filled = await fillHome(ctx, follower, { whose: "some", entries, floor });
  // Just made, or being rebuilt by a process that may not know of this follow yet.
  if (filled === "unfilled") await rebuildHome(ctx, follower);
}

/** After the end of a follow: takes the followee out of the follower's lists, options and home. May run twice. */
export async function forgetFollowee(ctx: Ctx, edge: FollowEdge): Promise<void> {
  await clearFollowOptions(ctx, edge);
  await leaveLists(ctx, edge.follower, edge.followee);
  await removeFolloweeFromHome(ctx, edge);
}

/** Removes from the follower's home the followee's tweets, and replies of others to them. */
async function removeFolloweeFromHome(ctx: Ctx, { follower, followee }: FollowEdge): Promise<void> {
  // A user's own tweets are at home without a follow.
  if (follower === followee) return;
  const stored = (await allHomeEntries(ctx, follower)).map((entry) => tweetId(entry.id));
  const [written, answers] = await Promise.all([
    writtenAmong(ctx, followee, stored),
    answersTo(ctx, followee),
  ]);
  const foreign = answers.filter(({ other }) => other !== follower);
  await removeFromHome(ctx, follower, [...written, ...foreign.map(({ id }) => tweetId(id))]);
}
