import { workFor } from "../domain/actions/reconcile-edit.ts";
import { removeTweet } from "../domain/actions/delete-tweet.ts";
import { reconcileDeletion } from "../domain/actions/delete-cleanup.ts";
import { tweetId } from "../domain/ids.ts";
import { indexedAs, termKey, unindexTweet } from "../domain/search/index-tweet.ts";
import { isOver, listPoll } from "../domain/tweets/poll.ts";
import { listedCount, recount } from "../domain/tweets/reactions.ts";
import { buryTweet, findTweet } from "../domain/tweets/store.ts";
import { toTombstone, toTweet, type Tweet, tweetFields } from "../domain/tweets/tweet.ts";
import { earlierTexts, versionFields } from "../domain/tweets/versions.ts";
import { keys } from "../redis/keys.ts";
import { eachKey, type Run } from "./run.ts";
import { jobsAbout } from "./jobs.ts";

const counts = ["replies", "retweets", "likes"] as const;

/** A tweet is complete and counted; a tombstone has a TTL, and no likes or retweets. */
export const tweets = eachKey({
  of: ["tweet"],
  read: async (run, item) => {
    const { redis } = run.ctx;
    const tweet = tweetId(item.owner);
    const [values, life, ...sizes] = await Promise.all([
      redis.hmget(item.key, ...tweetFields, ...counts),
      redis.ttl(item.key),
      ...counts.map((which) => listedCount(run.ctx, tweet, which)),
    ]);
    const written = toTweet(tweet, values);
    const isWritten = written !== undefined;
    const tombstone = written ?? toTombstone(tweet, values);
    run.saw("user", tombstone?.author);
    const poll = written?.poll;
    const ends = poll && !isOver(poll, run.ctx.now()) ? poll.ends : undefined;
    const deletedAt = Number(values[tweetFields.indexOf("deleted_at")] ?? 0);
    return {
      ...item,
      tweet,
      life,
      sizes,
      tombstone,
      isPollUnlisted:
        ends !== undefined && (await redis.zscore(keys.endingPolls, tweet)) !== String(ends),
      deletedAt,
      isDraft: !isWritten && life >= 0,
      isOrphan: isWritten && (await run.facts.user(tombstone?.author ?? "")) === "gone",
      isTweet: isWritten && Number(tombstone?.createdAt) > 0,
      isTombstone: deletedAt > 0 && !run.isYoung(deletedAt),
      noted: values.slice(tweetFields.length).map(Number),
    };
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
      detail: ({ isTombstone, life, sizes: [, retweets = 0, likes = 0] }) =>
        isTombstone && life >= 0 && retweets + likes > 0 && "is deleted, yet liked or retweeted",
      how: "finish its deletion",
      repair: ({ ctx }, { tweet }) => reconcileDeletion(ctx, tweet),
    },
    "poll-unlisted": {
      detail: ({ isPollUnlisted, life }) =>
        isPollUnlisted && life === -1 && "has a poll whose end is not listed",
      how: "list it",
      repair: async ({ ctx }, { tombstone }) => tombstone && (await listPoll(ctx, tombstone)),
    },
    "tweet-count": {
      detail({ isTweet, life, noted, sizes }) {
        const isRight = counts.every((_, nth) => noted[nth] === sizes[nth]);
        if (!isTweet || life !== -1 || isRight) return undefined;
        return counts
          .map((which, nth) => `${which}: ${noted[nth]}, listed: ${sizes[nth]}`)
          .join("; ");
      },
      how: "count again",
      async repair({ ctx }, { tweet }) {
        for (const which of counts) await recount(ctx, tweet, which);
      },
    },
  },
});

/** The search does not find a tweet by words and tags that an edit has taken away. */
export const editedTerms = eachKey({
  of: ["tweet"],
  read: async (run, item) => {
    const { redis } = run.ctx;
    // Few tweets are edited.
    if ((await redis.hexists(item.key, "edited_at")) === 0) return undefined;
    const values = await redis.hmget(item.key, ...tweetFields);
    const tweet = toTweet(tweetId(item.owner), values);
    if (tweet?.editedAt === undefined || run.isYoung(tweet.editedAt)) return undefined;
    return { ...item, tweet, stale: await staleTerms(run, tweet) };
  },
  jobs: ({ tweet }) => jobsAbout(tweet.id, tweet),
  faults: {
    "tweet-index": {
      detail: ({ stale: [term] }) =>
        term !== undefined && `is found by "${term}" of before an edit`,
      how: "take it out",
      async repair({ ctx }, { tweet, stale }) {
        await unindexTweet(ctx, { tweet: tweet.id, author: tweet.author, terms: stale });
        // If it was edited meanwhile, that may have listed it before.
        const again = await findTweet(ctx, tweet.id);
        if (again !== undefined && again.editedAt !== tweet.editedAt)
          await ctx.jobs.chore("reconcile-edit", workFor(tweet, again));
      },
    },
  },
});

/** Terms that only earlier versions have, and under which the tweet is still listed. */
async function staleTerms({ ctx }: Run, tweet: Tweet): Promise<string[]> {
  const current = new Set(indexedAs(tweet).terms);
  const earlier = (await earlierTexts(ctx, [tweet])).flatMap(
    ({ text, warning }) => indexedAs({ ...tweet, text, warning }).terms,
  );
  const gone = [...new Set(earlier)].filter((term) => !current.has(term));
  const stamps = await Promise.all(gone.map((term) => ctx.redis.zscore(termKey(term), tweet.id)));
  return gone.filter((_, nth) => stamps[nth] !== null);
}

/** A tweet that was edited has all of its earlier versions; a tombstone has none. */
export const histories = eachKey({
  of: ["tweet"],
  read: async ({ ctx }, item) => {
    const fields = ["edits", "edited_at", "deleted_at", ...versionFields];
    const [edits, editedAt, deletedAt, ...versions] = await ctx.redis.hmget(item.key, ...fields);
    const kept = versions.filter((version) => typeof version === "string").length;
    if (edits === null && kept === 0) return undefined;
    const isMarked = editedAt !== null;
    return { ...item, tweet: tweetId(item.owner), edits: Number(edits), kept, isMarked, deletedAt };
  },
  jobs: ({ tweet }) => jobsAbout(tweet),
  faults: {
    "tweet-history": [
      {
        detail: ({ deletedAt, kept }) =>
          deletedAt !== null && kept > 0 && `is deleted, yet has ${kept} earlier versions`,
        how: "take them away",
        repair: ({ ctx }, { tweet, deletedAt }) => buryTweet(ctx, tweet, Number(deletedAt)),
      },
      {
        detail: ({ deletedAt, edits, kept, isMarked }) =>
          deletedAt === null &&
          (edits !== kept || !isMarked) &&
          `was edited ${edits} times, and has ${kept} earlier versions`,
      },
    ],
  },
});
