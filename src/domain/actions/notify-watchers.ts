import type { Ctx } from "../../context.ts";
import { hasWatchers, watchersAfter } from "../graph/follow-options.ts";
import type { TweetId } from "../ids.ts";
import { notify } from "../notifications/store.ts";
import { type Stamp, stampAt } from "../stamp.ts";
import { findTweet } from "../tweets/store.ts";
import { mentionsOrAnswers, type Tweet } from "../tweets/tweet.ts";

/** Users per job. */
const watchersPerJob = 200;
/** Users at the same time. */
const atOnce = 20;

/** Promises to notify the users who asked for it of a new tweet. Not of retweets and replies to others. */
export async function promiseWatchers(ctx: Ctx, tweet: Tweet): Promise<void> {
  const { id, author, retweetOf, replyTo } = tweet;
  if (retweetOf !== undefined || (replyTo !== undefined && replyTo.author !== author)) return;
  if (await hasWatchers(ctx, author))
    await ctx.jobs.chore("notify-watchers", { tweet: id, after: 0 });
}

/** The promised chore: notifies the next users, and promises the rest. May run twice. */
export async function notifyWatchers(
  ctx: Ctx,
  { tweet: id, after }: { tweet: TweetId; after: Stamp },
): Promise<void> {
  const tweet = await findTweet(ctx, id);
  if (tweet === undefined) return;
  const watchers = await watchersAfter(ctx, tweet.author, { after, limit: watchersPerJob });
  // Users who asked for it later, and those who are notified of a reply or a mention, are left out.
  const told = watchers.filter(
    ({ id: user, stamp }) => stamp <= tweet.createdAt && !mentionsOrAnswers(tweet, user),
  );
  const about = { kind: "status", tweet: id, actor: tweet.author } as const;
  const stamp = stampAt(ctx.now(), id);
  for (let start = 0; start < told.length; start += atOnce)
    await Promise.all(
      told.slice(start, start + atOnce).map(({ id: to }) => notify(ctx, { ...about, to, stamp })),
    );
  const last = watchers.at(-1)?.stamp;
  if (watchers.length >= watchersPerJob && last !== undefined && last <= tweet.createdAt)
    await ctx.jobs.chore("notify-watchers", { tweet: id, after: last });
}
