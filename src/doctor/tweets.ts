import { removeTweet } from "../domain/actions/delete-tweet.ts";
import { reconcileDeletion } from "../domain/actions/delete-cleanup.ts";
import { tweetId } from "../domain/ids.ts";
import { indexedAs, unindexTweet } from "../domain/search/index-tweet.ts";
import { recount } from "../domain/tweets/reactions.ts";
import { buryTweet } from "../domain/tweets/store.ts";
import { toTombstone, toTweet, tweetFields } from "../domain/tweets/tweet.ts";
import { keys } from "../redis/keys.ts";
import { keyCheck } from "./run.ts";
import { jobsAbout } from "./jobs.ts";

const counts = ["replies", "retweets", "likes"] as const;

/** A tweet is complete and counted; a tombstone has a TTL, and no likes or retweets. */
export const tweets = keyCheck({
  of: ["tweet"],
  async read(run, items) {
    const hashes = await run.ask(
      items.map((item) => ({ ...item, tweet: tweetId(item.owner) })),
      ({ key, tweet }) => ({
        values: ["hmget", key, ...tweetFields, ...counts],
        life: ["ttl", key],
        replies: ["zcard", keys.tweetReplies(tweet)],
        retweets: ["zcard", keys.tweetRetweets(tweet)],
        likes: ["zcard", keys.tweetLikes(tweet)],
      }),
    );
    const authors = hashes.flatMap(({ tweet, values }) => toTombstone(tweet, values)?.author ?? []);
    const stateOf = await run.facts.users(authors);
    return hashes.map(({ values, ...one }) => {
      const tombstone = toTweet(one.tweet, values) ?? toTombstone(one.tweet, values);
      run.saw("user", tombstone?.author);
      const deletedAt = Number(values[tweetFields.indexOf("deleted_at")] ?? 0);
      const isWritten = toTweet(one.tweet, values) !== undefined;
      return {
        ...one,
        tombstone,
        deletedAt,
        isDraft: !isWritten && one.life >= 0,
        isOrphan: isWritten && stateOf(tombstone?.author ?? "") === "gone",
        isTweet: isWritten && Number(tombstone?.createdAt) > 0,
        isTombstone: deletedAt > 0 && !run.isYoung(deletedAt),
        noted: values.slice(tweetFields.length).map(Number),
      };
    });
  },
  jobs: ({ tweet, tombstone }) => jobsAbout(tweet, tombstone),
  faults: {
    "tweet-incomplete": ({ isTweet, isDraft, deletedAt }) =>
      !isTweet && !isDraft && deletedAt === 0 && "neither a tweet nor a tombstone",
    "tweet-expires": {
      detail: ({ isTweet, life }) => isTweet && life >= 0 && "is to stay, yet it vanishes",
      how: "let it stay",
      async repair({ ctx }, { tweet, key }) {
        await ctx.redis.persist(key);
        // If it was deleted just now, it needs its TTL again.
        const deletedAt = await ctx.redis.hget(key, "deleted_at");
        if (deletedAt !== null) await buryTweet(ctx, tweet, Number(deletedAt));
      },
    },
    "tweet-orphaned": {
      detail: ({ isOrphan }) => isOrphan && "has an author without an account",
      how: "delete it",
      async repair({ ctx }, { tombstone }) {
        if (tombstone === undefined) return;
        await removeTweet(ctx, tombstone);
        await unindexTweet(ctx, indexedAs(tombstone));
      },
    },
    "tombstone-for-ever": {
      detail: ({ isTombstone, life }) =>
        isTombstone && life === -1 && "a tombstone without an expiry",
      how: "finish its deletion",
      async repair({ ctx }, { tweet, deletedAt }) {
        await buryTweet(ctx, tweet, deletedAt);
        await reconcileDeletion(ctx, tweet);
      },
    },
    "tombstone-listed": {
      detail: ({ isTombstone, life, retweets, likes }) =>
        isTombstone && life >= 0 && retweets + likes > 0 && "is deleted, yet liked or retweeted",
      how: "finish its deletion",
      repair: ({ ctx }, { tweet }) => reconcileDeletion(ctx, tweet),
    },
    "tweet-count": {
      detail({ isTweet, life, noted, ...listed }) {
        const isRight = counts.every((which, nth) => noted[nth] === listed[which]);
        if (!isTweet || life !== -1 || isRight) return undefined;
        return counts
          .map((which, nth) => `${which}: ${noted[nth]}, listed: ${listed[which]}`)
          .join("; ");
      },
      how: "count again",
      async repair({ ctx }, { tweet }) {
        for (const which of counts) await recount(ctx, tweet, which);
      },
    },
  },
});
