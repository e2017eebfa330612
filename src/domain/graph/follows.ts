import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import type { Reading } from "../../redis/memory.ts";
import { membersOf } from "../members.ts";
import { type UserId, userId } from "../ids.ts";
import { type Entry, type Page, type Range, readPage, toEntries } from "../page.ts";
import type { Stamp } from "../stamp.ts";

export interface FollowEdge {
  follower: UserId;
  followee: UserId;
}

/** A user in a list of followers. */
export interface Follower extends Entry {
  id: UserId;
}

/** Stamp of the follow; undefined if there is none. */
export async function isFollowing(
  ctx: Ctx,
  { follower, followee }: FollowEdge,
): Promise<Stamp | undefined> {
  const stamp = await ctx.redis.zscore(keys.followings(follower), followee);
  return stamp === null ? undefined : Number(stamp);
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

const versionReading: Reading<UserId, object> = {
  key: keys.followings,
  command: ["zcard"],
  parse: (size) => ({ size }),
};

/** The same object until the user's followings change; caches can compare it. */
export async function followingsVersion(ctx: Ctx, user: UserId): Promise<object> {
  const [version = {}] = await ctx.memory.read(ctx.redis, versionReading, [user]);
  return version;
}

/** All users followed by `user`. */
export async function allFollowings(ctx: Ctx, user: UserId): Promise<UserId[]> {
  const ids = await ctx.redis.zrange(keys.followings(user), 0, "-1");
  return ids.map(userId);
}

/** The users who follow `user`, newest first. */
export async function followersPage(ctx: Ctx, user: UserId, range: Range): Promise<Page<Entry>> {
  return await readPage(ctx.redis, keys.followers(user), range);
}

/** The users followed by `user`, newest first. */
export async function followingsPage(ctx: Ctx, user: UserId, range: Range): Promise<Page<Entry>> {
  return await readPage(ctx.redis, keys.followings(user), range);
}

/**
 * Followers after the stamp `after`, oldest follow first: at least `limit` unless there are no more. More only
 * if several share the last stamp.
 */
export async function followersAfter(
  ctx: Ctx,
  user: UserId,
  part: { after: Stamp; limit: number },
): Promise<Follower[]> {
  return await peopleAfter(ctx, keys.followers(user), part);
}

/** The same of any list of users by stamp. */
export async function peopleAfter(
  ctx: Ctx,
  key: string,
  { after, limit }: { after: Stamp; limit: number },
): Promise<Follower[]> {
  const bounds = [`(${after}`, "+inf", "BYSCORE", "LIMIT", 0, limit, "WITHSCORES"] as const;
  const reply = await ctx.redis.zrange(key, ...bounds);
  const followers = toEntries(reply);
  const last = followers.at(-1);
  if (last !== undefined && followers.length === limit) {
    const tied = await ctx.redis.zrange(key, last.stamp, String(last.stamp), "BYSCORE");
    const seen = new Set(followers.map((follower) => follower.id));
    for (const id of tied) if (!seen.has(id)) followers.push({ id, stamp: last.stamp });
  }
  return followers.map(({ id, stamp }) => ({ id: userId(id), stamp }));
}

export async function countFollowers(ctx: Ctx, user: UserId): Promise<number> {
  return await ctx.redis.zcard(keys.followers(user));
}

export async function followCounts(
  ctx: Ctx,
  user: UserId,
): Promise<{ followers: number; followings: number }> {
  const [followers, followings] = await exec(ctx.redis, [
    ["zcard", keys.followers(user)],
    ["zcard", keys.followings(user)],
  ]);
  return { followers: Number(followers), followings: Number(followings) };
}
