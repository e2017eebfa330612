import type { Ctx } from "../../context.ts";
import { type Command, exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import type { UserId } from "../ids.ts";
import { membersOf } from "../members.ts";
import type { Stamp } from "../stamp.ts";
import { type Follower, type FollowEdge, peopleAfter } from "./follows.ts";

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
export async function watchedAmong(
  ctx: Ctx,
  follower: UserId,
  users: UserId[],
): Promise<Set<UserId>> {
  const stamps = await exec(
    ctx.redis,
    users.map((user): Command => ["zscore", keys.watchers(user), follower]),
  );
  return new Set(users.filter((_, index) => stamps[index] !== null));
}

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

/** The users who are notified of an author's tweets, after the stamp `after`; see followersAfter. */
export async function watchersAfter(
  ctx: Ctx,
  author: UserId,
  part: { after: Stamp; limit: number },
): Promise<Follower[]> {
  return await peopleAfter(ctx, keys.watchers(author), part);
}

/** Writes some of the options, whether or not there is a follow. `stamp`: of the choice. */
export async function writeFollowOptions(
  ctx: Ctx,
  { follower, followee }: FollowEdge,
  { retweets, notify }: Partial<FollowOptions>,
  stamp: Stamp,
): Promise<void> {
  const set = (key: string, member: UserId, isIn: boolean | undefined): Command[] => {
    if (isIn === undefined) return [];
    return [isIn ? ["zadd", key, "NX", stamp, member] : ["zrem", key, member]];
  };
  await exec(ctx.redis, [
    ...set(
      keys.withoutRetweets(follower),
      followee,
      retweets === undefined ? undefined : !retweets,
    ),
    ...set(keys.watchers(followee), follower, notify),
  ]);
}

/** After the end of a follow. May run twice. */
export async function clearFollowOptions(ctx: Ctx, edge: FollowEdge): Promise<void> {
  await writeFollowOptions(ctx, edge, { retweets: true, notify: false }, 0);
}
