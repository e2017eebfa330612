import { clearRetweet } from "../domain/actions/delete-cleanup.ts";
import { reconcileRetweet } from "../domain/actions/retweet.ts";
import { tweetId, userId } from "../domain/ids.ts";
import type { Retweeting } from "../domain/tweets/reactions.ts";
import { keys } from "../redis/keys.ts";
import { eachKey, type Run } from "./run.ts";
import type { Item } from "./items.ts";

/** Users' hashes of retweets, tweets' retweeters, and the retweets themselves agree. */
export const retweets = eachKey({
  of: ["retweets", "tweetRetweets", "hiddenRetweets"],
  each: "member",
  read: async (run, member) => {
    const { user, tweet } = endsOf(member);
    const [retweet, stamp] = await Promise.all([
      run.ctx.redis.hget(keys.retweets(user), tweet),
      run.ctx.redis.zscore(keys.tweetRetweets(tweet), user),
    ]);
    run.saw("tweet", retweet ?? "");
    const userState = await run.facts.user(user);
    if (userState === "leaving" || userState === "lost") return undefined;
    const original = await run.facts.tweet(tweet);
    const written = await run.facts.tweet(retweet ?? "");
    return { ...member, user, tweet, retweet, stamp, original, written };
  },
  place: ({ user, tweet: id }) => ({ key: keys.retweets(user), id }),
  jobs: (edge) => jobsOf(edge),
  faults: {
    "retweet-mirror": {
      detail({ name, user, tweet, retweet, stamp, original, written }) {
        const isNamed = stamp !== null || name === "hiddenRetweets";
        if (retweet === null) return isNamed && `${tweet} names ${user}, who has none`;
        if (original?.alive !== true) return `of ${tweet}, which is gone`;
        if (written?.alive !== true)
          return `${retweet} stands for the one of ${tweet}, and is gone`;
        if (Number(stamp ?? 0) === written.createdAt) return undefined;
        return `${retweet} of ${written.createdAt}, in the list of ${tweet}: ${stamp ?? "nothing"}`;
      },
      how: "make all ends agree with the list of the user's retweets",
      async repair(run, { user, tweet, stamp }) {
        if (stamp !== null) await restoreEntry(run, { user, tweet }, stamp);
        await reconcileRetweet(run.ctx, { user, tweet });
      },
    },
  },
});

function endsOf({ name, owner, id }: Item): Retweeting {
  return name === "retweets"
    ? { user: userId(owner), tweet: tweetId(id) }
    : { user: userId(id), tweet: tweetId(owner) };
}

function jobsOf({ user, tweet }: Retweeting): string[] {
  return [`reconcile-retweet ${user} ${tweet}`, `reconcile-deletion ${tweet}`, `erase ${user}`];
}

/** If only the user's hash lost a retweet, the stamp in the original's list leads to it. */
async function restoreEntry(
  { ctx, facts }: Run,
  { user, tweet }: Retweeting,
  stamp: string,
): Promise<void> {
  for (const id of await ctx.redis.zrange(keys.userTimeline(user), stamp, stamp, "BYSCORE")) {
    const written = await facts.tweet(id);
    if (written?.alive === true && written.retweetOf?.tweet === tweet)
      await ctx.redis.hsetnx(keys.retweets(user), tweet, id);
  }
}

/** Each tweet that is a retweet is the one in its author's hash. */
export const unknownRetweets = eachKey({
  of: ["tweet"],
  read: async (run, item) => {
    const { author: user, createdAt, retweetOf } = (await run.livingTweet(item.owner)) ?? {};
    if (user === undefined || retweetOf === undefined) return undefined;
    const { tweet } = retweetOf;
    const [named, stamp] = await Promise.all([
      run.ctx.redis.hget(keys.retweets(user), tweet),
      run.ctx.redis.zscore(keys.tweetRetweets(tweet), user),
    ]);
    const isAlive = (await run.facts.user(user)) === "alive";
    return isAlive && named !== item.owner
      ? { ...item, user, createdAt, tweet, named, stamp }
      : undefined;
  },
  jobs: (edge) => jobsOf(edge),
  faults: {
    "retweet-unknown": {
      detail: ({ user, tweet, named }) =>
        `the list of ${user} names ${named ?? "none"} for ${tweet}`,
      how: "name it in the list if the original names it; else it was taken back, and is deleted",
      async repair({ ctx }, { owner: id, user, tweet, createdAt, stamp }) {
        const entries = keys.retweets(user);
        if (Number(stamp) === createdAt) await ctx.redis.hsetnx(entries, tweet, id);
        if ((await ctx.redis.hget(entries, tweet)) !== id)
          await clearRetweet(ctx, { user, tweet }, tweetId(id));
        await reconcileRetweet(ctx, { user, tweet });
      },
    },
  },
});
