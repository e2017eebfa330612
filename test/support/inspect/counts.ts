import type { Ctx } from "../../../src/context.ts";
import type { UserId } from "../../../src/domain/ids.ts";
import { keys } from "../../../src/redis/keys.ts";

/** Listed tweets of a user, as Redis has them at this moment. */
export async function countTweets({ redis }: Ctx, author: UserId): Promise<number> {
  return await redis.zcard(keys.userTimeline(author));
}

/** Numbers of follows at both ends of a user, as Redis has them at this moment. */
export async function followCounts({ redis }: Ctx, user: UserId) {
  return {
    followers: await redis.zcard(keys.followers(user)),
    followings: await redis.zcard(keys.followings(user)),
  };
}
