import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { type UserId, userId } from "../ids.ts";
import { membersOf, readerOf } from "../members.ts";
import { pageOf } from "../page.ts";
import type { FollowEdge } from "./follows.ts";

/** Stamp of a request to follow; negative once it is accepted, until the follow is written. Undefined: there is none. */
export async function findRequest(ctx: Ctx, { follower, followee }: FollowEdge) {
  const stamp = await ctx.redis.zscore(keys.followRequests(followee), follower);
  return stamp === null ? undefined : Number(stamp);
}

/** Whether only followers see what the user writes. Reads the truth, at this moment. */
export async function isProtected(ctx: Ctx, user: UserId): Promise<boolean> {
  return (await ctx.redis.hget(keys.user(user), "protected")) === "1";
}

/** Whether a follow needs an answer: the account is protected, and not followed yet. Reads the truth, at this moment. */
export async function mustAsk(ctx: Ctx, { follower, followee }: FollowEdge): Promise<boolean> {
  const [flag, since] = await exec(ctx.redis, [
    ["hget", keys.user(followee), "protected"],
    ["zscore", keys.followings(follower), followee],
  ]);
  return flag === "1" && since === null;
}

/** The users who ask to follow a user, newest first. */
export const followRequestsPage = pageOf(keys.followRequests);

/** Of some users, those whom a user asks to follow. */
export const requestedAmong = membersOf("zset", keys.requested);

/** Of some users, those who ask to follow a user. */
export const requestersAmong = membersOf("zset", keys.followRequests);

/** Number of users who wait for an answer. */
export const countRequests = readerOf<UserId, number>({
  key: keys.followRequests,
  command: ["zcount", 1, "+inf"],
  parse: Number,
});

/** The first `limit` of those who wait, in no certain order. */
export async function someRequesters(ctx: Ctx, user: UserId, limit: number): Promise<UserId[]> {
  return (await ctx.redis.zrange(keys.followRequests(user), 0, String(limit - 1))).map(userId);
}
