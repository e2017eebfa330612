import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys, mostOf } from "../../redis/keys.ts";
import { membersOf, readerOf, thoseWith } from "../members.ts";
import { type UserId, userId, type Stamp, stampAt } from "../ids.ts";
import { pageOf, toEntries } from "../page.ts";
import { Invalid } from "../errors.ts";

export interface FollowEdge {
  follower: UserId;
  followee: UserId;
}

/** Stamp of the follow; undefined if there is none. */
export async function isFollowing(ctx: Ctx, { follower, followee }: FollowEdge) {
  const stamp = await ctx.redis.zscore(keys.followings(follower), followee);
  return stamp === null ? undefined : Number(stamp);
}

/** The same, and whether the followee lists the follow: one that is not listed with its stamp is new. */
export async function readFollow(ctx: Ctx, { follower, followee }: FollowEdge) {
  const [since = null, listed] = await exec(ctx.redis, [
    ["zscore", keys.followings(follower), followee],
    ["zscore", keys.followers(followee), follower],
  ]);
  if (since === null) return { since: undefined, isListed: false };
  return { since: Number(since), isListed: listed === since };
}

/** Of some users, those followed by a user. */
export const followedAmong = membersOf("zset", keys.followings);

/** Of some users, those who follow a user. */
export const followersAmong = membersOf("zset", keys.followers);

/** Like followersAmong, but read from Redis at this moment, for any number; one round trip. */
export async function followersNow(ctx: Ctx, user: UserId, others: UserId[]): Promise<Set<UserId>> {
  if (others.length === 0) return new Set();
  const stamps = await ctx.redis.zmscore(keys.followers(user), ...others);
  return new Set(others.filter((_, index) => stamps[index] !== null));
}

/** The same object until the user's followings change; caches can compare it. */
export const followingsVersion = readerOf<UserId, object>({
  key: keys.followings,
  command: ["zcard"],
  parse: (size) => ({ size }),
});

/** All users followed by `user`. */
export async function allFollowings(ctx: Ctx, user: UserId): Promise<UserId[]> {
  const ids = await ctx.redis.zrange(keys.followings(user), 0, "-1");
  return ids.map(userId);
}

/** The users who follow `user`, newest first. */
export const followersPage = pageOf(keys.followers);

/** The users followed by `user`, newest first. */
export const followingsPage = pageOf(keys.followings);

/**
 * Followers after the stamp `after`, oldest follow first: at least `limit` unless there are no more. More only
 * if several share the last stamp.
 */
export const followersAfter = peopleAfter(keys.followers);

/** The same of the users who are notified of an author's tweets. */
export const watchersAfter = peopleAfter(keys.watchers);

function peopleAfter(keyOf: (user: UserId) => string) {
  return async (
    { redis }: Ctx,
    user: UserId,
    { after, limit }: { after: Stamp; limit: number },
  ) => {
    const key = keyOf(user);
    const bounds = [`(${after}`, "+inf", "BYSCORE", "LIMIT", 0, limit, "WITHSCORES"] as const;
    const followers = toEntries(await redis.zrange(key, ...bounds));
    const last = followers.at(-1);
    if (last !== undefined && followers.length === limit) {
      const tied = await redis.zrange(key, last.stamp, String(last.stamp), "BYSCORE");
      const seen = new Set(followers.map((follower) => follower.id));
      for (const id of tied) if (!seen.has(id)) followers.push({ id, stamp: last.stamp });
    }
    return followers.map(({ id, stamp }) => ({ id: userId(id), stamp }));
  };
}

/**
 * Ids of the same followers, with a space between them; `last` is the stamp of the last one, or undefined if there are
 * no more. For fan-outs: a tenth of the cost for this process.
 */
export async function followerIdsAfter(
  { redis }: Ctx,
  user: UserId,
  { after, limit }: { after: Stamp; limit: number },
): Promise<{ ids: Buffer; last: Stamp | undefined }> {
  const [ids, last] = await redis.listFollowersBuffer(keys.followers(user), after, limit);
  return { ids, last: last === null ? undefined : Number(last) };
}

export async function countFollowers(ctx: Ctx, user: UserId): Promise<number> {
  return await ctx.redis.zcard(keys.followers(user));
}

/** Max hashtags that a user follows: each page of home reads the list of each. */
export const tagsAtMost = mostOf("followedTags");

/** All hashtags (folded) that a user follows, newest first. */
export const followedTags = readerOf<UserId, readonly string[]>({
  key: keys.followedTags,
  command: ["zrange", 0, -1, "REV"],
  parse: (reply) => reply as string[],
});

/** A part of them, with the stamps of their follows. */
export const followedTagsPage = pageOf(keys.followedTags);

/** Tells which hashtags (folded) the user follows; undefined: signed out. */
export async function isFollowedBy(ctx: Ctx, user: UserId | undefined) {
  const tags = new Set(user === undefined ? [] : await followedTags(ctx, user));
  return (tag: string) => tags.has(tag);
}

/** Tweets with the hashtag (folded) are at home from then on. Throws Invalid for one too many. */
export async function followTag(ctx: Ctx, user: UserId, tag: string): Promise<void> {
  const stamp = stampAt(ctx.now(), user);
  const isAdded = await ctx.redis.addBounded(keys.followedTags(user), 0, tag, stamp, tagsAtMost);
  if (isAdded === 0) throw new Invalid({ form: "tag.many" });
}

/** Does nothing for a tag that is not followed. */
export async function unfollowTag(ctx: Ctx, user: UserId, tag: string): Promise<void> {
  await ctx.redis.zrem(keys.followedTags(user), tag);
}

/** What a follower has chosen about a followed user. */
export interface FollowOptions {
  /** Whether the user's retweets are in the follower's home and lists; default: yes. */
  retweets: boolean;
  /** Whether each new tweet of the user is a notification; default: no. */
  notify: boolean;
}

/** Of some users, those whose retweets the follower does not want. */
export const withoutRetweetsAmong = membersOf("zset", keys.withoutRetweets);

/** Of some users, those of whose tweets the follower is notified. */
export const watchedAmong = (ctx: Ctx, follower: UserId, users: UserId[]) =>
  thoseWith(ctx, users, keys.watchers, follower);

/** The options of a follow that exists. */
export async function readFollowOptions(
  ctx: Ctx,
  { follower, followee }: FollowEdge,
): Promise<FollowOptions> {
  const [without, watched] = await Promise.all([
    withoutRetweetsAmong(ctx, follower, [followee]),
    watchedAmong(ctx, follower, [followee]),
  ]);
  return { retweets: !without.has(followee), notify: watched.has(followee) };
}

export async function hasWatchers(ctx: Ctx, author: UserId): Promise<boolean> {
  return (await ctx.redis.exists(keys.watchers(author))) === 1;
}

/** Writes some of the options, whether or not there is a follow. `stamp`: of the choice. */
export async function writeFollowOptions(
  ctx: Ctx,
  { follower, followee }: FollowEdge,
  { retweets, notify }: Partial<FollowOptions>,
  stamp: Stamp,
): Promise<void> {
  const set = async (key: string, member: UserId, isIn: boolean): Promise<number> =>
    isIn ? await ctx.redis.addAnyway(key, "NX", stamp, member) : await ctx.redis.zrem(key, member);
  if (retweets !== undefined) await set(keys.withoutRetweets(follower), followee, !retweets);
  if (notify !== undefined) await set(keys.watchers(followee), follower, notify);
}

/** After the end of a follow. May run twice. */
export async function clearFollowOptions(ctx: Ctx, edge: FollowEdge): Promise<void> {
  await writeFollowOptions(ctx, edge, { retweets: true, notify: false }, 0);
}
