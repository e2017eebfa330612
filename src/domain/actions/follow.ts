import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { Invalid } from "../errors.ts";
import { isBlocked, requireNoBlock } from "../graph/relations.ts";
import { leaveLists } from "../graph/lists.ts";
import {
  clearFollowOptions,
  followCounts,
  followedAmong,
  type FollowEdge,
  type FollowOptions,
  isFollowing,
  writeFollowOptions,
} from "../graph/follows.ts";
import { tweetId } from "../ids.ts";
import { type Notice, notify, retract } from "../notifications/store.ts";
import { reconcile } from "../promises.ts";
import { type Stamp, stampAt } from "../stamp.ts";
import { rebuildHome } from "../timelines/home.ts";
import { allHomeEntries, fillHome, removeFromHome } from "../timelines/home-store.ts";
import { answersTo, repliesBy, userEntries, writtenAmong } from "../timelines/store.ts";
import { addEdge, type EdgeKind, removeEdge } from "./write-edge.ts";

/** Max followings of a user: rebuilding a home timeline reads each of them. */
export const followingsAtMost = 10_000;

/**
 * Min tweets of a new followee that are read for home, even if it holds fewer: most of the newest may be replies that
 * the follower does not get, and the rest must still make some pages.
 */
const leastBackFill = 800;

const following: EdgeKind<FollowEdge> = {
  list: ({ follower }) => keys.followings(follower),
  member: ({ followee }) => followee,
  promise: (ctx, edge) => ctx.jobs.chore("reconcile-follow", edge, "later"),
  reconcile: reconcileFollow,
};

/**
 * When this resolves, the followee's tweets are in the follower's home; one that is absent stays so until it is read.
 * A block at the same moment ends the follow. Throws Invalid if both are the same user or there are too many followings, NotFound for a user who
 * is gone or suspended, Blocked.
 */
export async function follow(ctx: Ctx, edge: FollowEdge): Promise<void> {
  if (edge.follower === edge.followee) throw new Invalid({ form: "follow.self" });
  await Promise.all([
    requireNoBlock(ctx, edge.follower, edge.followee),
    requireFewFollowings(ctx, edge),
  ]);
  await addEdge(ctx, following, edge);
}

async function requireFewFollowings(ctx: Ctx, edge: FollowEdge): Promise<void> {
  const { followings } = await followCounts(ctx, edge.follower);
  if (followings < followingsAtMost || (await isFollowing(ctx, edge)) !== undefined) return;
  throw new Invalid({ form: "follow.many" });
}

/** When this resolves, the followee is in no list of the follower, and their tweets are gone from home. */
export async function unfollow(ctx: Ctx, edge: FollowEdge): Promise<void> {
  await removeEdge(ctx, following, edge);
}

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

/** The stamp of a follow. A block wins over a follow, which ends here: the later of the two writes finds the other. */
async function standingFollow(ctx: Ctx, edge: FollowEdge): Promise<Stamp | undefined> {
  const { follower, followee } = edge;
  const since = await isFollowing(ctx, edge);
  if (since === undefined || !(await isBlocked(ctx, follower, followee))) return since;
  await ctx.redis.zrem(keys.followings(follower), followee);
  return undefined;
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
