import type { Ctx, PictureWork } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { recallTweets } from "../tweets/store.ts";
import type { Tweet } from "../tweets/tweet.ts";

/** The tweet that shows a picture, or showed it before an edit; undefined for an upload that none shows. */
export async function tweetWith(
  ctx: Ctx,
  { user, upload }: PictureWork,
): Promise<Tweet | undefined> {
  const id = await ctx.redis.hget(keys.pictures(user), upload);
  const [tweet] = id === null ? [] : await recallTweets(ctx, [{ id }]);
  return tweet;
}
