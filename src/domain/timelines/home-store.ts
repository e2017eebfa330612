import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import type { Filled } from "../../redis/redis-client.ts";
import { type FollowEdge, followedAmong } from "../graph/follows.ts";
import { type Stamp, type TweetId, tweetId, type UserId } from "../ids.ts";
import { type Entry, type Range, tiesBounds, toEntries, upperBound } from "../page.ts";
import { firstEntries } from "./merge.ts";
import { answersTo, readAnswers, userEntries, writtenAmong } from "./store.ts";

/**
 * A home timeline is a cache; the user timelines of the owner and their followings are the truth. The score of
 * the member "floor" says how far the cache can be trusted: above that stamp it is complete; other tweets of that
 * stamp, and older ones, must be read from the user timelines. 0: complete to the end. Infinity: just made, not
 * filled yet. The member also keeps an empty timeline in existence: deliveries skip users without a home timeline.
 */
export const floorMember = "floor";

/** Members left after a cut. All members are tweets, except the floor. */
export function keptWhenCut(cap: number): number {
  // Cutting an eighth at a time makes cuts rare, and a timeline never exceeds the cap.
  return cap - Math.ceil(cap / 8);
}

export interface StoredHome {
  floor: Stamp;
  /** In reading order, all at or above the floor. */
  entries: Entry[];
}

/** Undefined if there is no home timeline: it expired, or was never made. Renews its TTL. */
export async function readHome(
  ctx: Ctx,
  user: UserId,
  { before, after = 0, limit, upwards }: Range,
): Promise<StoredHome | undefined> {
  // Two more: one may be the floor, the other tells whether the last shares its stamp with the next.
  const home = keys.homeTimeline(user);
  const text = await ctx.redis.readHome(
    home,
    upperBound(before),
    limit + 2,
    timelineSeconds(ctx),
    after + 1,
    upwards === true ? "up" : "down",
  );
  if (text === null) return undefined;
  const [floor = "inf", ...members] = text.trimEnd().split(" ");
  const tweetEntries = tweetsAmong(members);
  const entries = tweetEntries.slice(0, limit);
  const edge = entries[limit - 1]?.stamp;
  if (edge !== undefined && tweetEntries[limit]?.stamp === edge)
    entries.push(...tweetsAmong(await ctx.redis.zrange(home, ...tiesBounds(edge), "WITHSCORES")));
  // Redis writes infinity as "inf", which Number parses as NaN.
  return {
    floor: floor === "inf" ? Infinity : Number(floor),
    entries: entries.length > limit ? firstEntries(entries, { limit, upwards }) : entries,
  };
}

function tweetsAmong(members: readonly string[]): Entry[] {
  return toEntries(members).filter((entry) => entry.id !== floorMember);
}

/** Makes a home timeline, or renews its TTL. `floor` is for a new one: 0 for a user without followings. */
export async function ensureHome(ctx: Ctx, user: UserId, floor: 0 | "+inf"): Promise<void> {
  await ctx.redis.keepMember(keys.homeTimeline(user), floor, floorMember, timelineSeconds(ctx));
}

/**
 * Adds tweets to a home timeline: those from `floor` upwards of "all" followings, or of "some". A higher floor
 * stays if only some were added. "some" leaves a timeline that is "unfilled" or "absent" unchanged.
 */
export async function fillHome(
  ctx: Ctx,
  user: UserId,
  { whose, entries, floor }: { whose: "all" | "some"; entries: Entry[]; floor: Stamp },
): Promise<Filled> {
  const cap = ctx.config.timelineCap;
  return await ctx.redis.fillHome(
    keys.homeTimeline(user),
    cap,
    keptWhenCut(cap),
    whose,
    floor,
    ...entries.flatMap((entry) => [entry.stamp, entry.id]),
  );
}

/**
 * Min tweets of a new followee that are read for home, even if it holds fewer: most of the newest may be replies that
 * the follower does not get, and the rest must still make some pages.
 */
const leastBackFill = 800;

/**
 * Adds to the follower's home: the followee's tweets, replies to the followee by the follower's other
 * followings, and the followee's replies to the follower's followings. May run twice.
 */
export async function addFollowee(ctx: Ctx, { follower, followee }: FollowEdge): Promise<Filled> {
  const limit = Math.max(ctx.config.timelineCap, leastBackFill);
  const [written, replies, answers] = await Promise.all([
    userEntries(ctx, followee, { before: undefined, limit }),
    readAnswers(ctx, keys.replies(followee), limit),
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
  return await fillHome(ctx, follower, { whose: "some", entries, floor });
}

/** Removes tweets: after an unfollow or a deletion, and those that a reader found deleted or misplaced. May run twice. */
export async function removeFromHome(ctx: Ctx, user: UserId, tweets: TweetId[]): Promise<void> {
  if (tweets.length > 0) await ctx.redis.zrem(keys.homeTimeline(user), ...tweets);
}

/** All stored entries, newest first; at most TIMELINE_CAP. */
export async function allHomeEntries(ctx: Ctx, user: UserId): Promise<Entry[]> {
  const reply = await ctx.redis.zrange(keys.homeTimeline(user), 0, "-1", "REV", "WITHSCORES");
  return tweetsAmong(reply);
}

/** Removes from the follower's home the followee's tweets, and replies of others to them. May run twice. */
export async function removeFollowee(ctx: Ctx, { follower, followee }: FollowEdge): Promise<void> {
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

/** TTL of a home timeline, and of what must stay as long: the tombstone of a deleted tweet. */
export function timelineSeconds(ctx: Ctx): number {
  return ctx.config.timelineTtlDays * 24 * 60 * 60;
}
