import { workFor } from "../domain/actions/reconcile-edit.ts";
import { tweetId } from "../domain/ids.ts";
import { indexedAs, termKey, unindexTweet } from "../domain/search/index-tweet.ts";
import { buryTweet, findTweet } from "../domain/tweets/store.ts";
import { type Tweet, toTweet, tweetFields } from "../domain/tweets/tweet.ts";
import { earlierTexts, versionFields } from "../domain/tweets/versions.ts";
import { type Run, keyCheck } from "./run.ts";
import { jobsAbout } from "./jobs.ts";

/** The search does not find a tweet by words and tags that an edit has taken away. */
export const editedTerms = keyCheck({
  of: ["tweet"],
  async read(run, items) {
    const tweets = await run.ask(items, ({ key }) => ({ values: ["hmget", key, ...tweetFields] }));
    const edited = tweets.flatMap(({ values, ...item }) => {
      const tweet = toTweet(tweetId(item.owner), values);
      const isSettled = tweet?.editedAt !== undefined && !run.isYoung(tweet.editedAt);
      return isSettled ? [{ ...item, tweet }] : [];
    });
    const stale = await staleTerms(
      run,
      edited.map(({ tweet }) => tweet),
    );
    return edited.map((one) => ({
      ...one,
      stale: stale.flatMap(({ tweet, term }) => (tweet === one.tweet ? [term] : [])),
    }));
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
async function staleTerms(
  run: Run,
  tweets: readonly Tweet[],
): Promise<{ tweet: Tweet; term: string }[]> {
  const current = new Map(tweets.map((tweet) => [tweet, new Set(indexedAs(tweet).terms)]));
  const earlier = await earlierTexts(run.ctx, tweets);
  const terms = earlier.flatMap(({ tweet, text, warning }) =>
    indexedAs({ ...tweet, text, warning }).terms.map((term) => ({ tweet, term })),
  );
  const entries = await run.ask(
    terms.filter(({ tweet, term }) => current.get(tweet)?.has(term) === false),
    ({ tweet, term }) => ({ stamp: ["zscore", termKey(term), tweet.id] }),
  );
  return entries.filter(({ stamp }) => stamp !== null);
}

/** A tweet that was edited has all of its earlier versions; a tombstone has none. */
export const histories = keyCheck({
  of: ["tweet"],
  async read(run, items) {
    const tweets = await run.ask(
      items.map((item) => ({ ...item, tweet: tweetId(item.owner) })),
      ({ key }) => ({
        values: ["hmget", key, "edits", "edited_at", "deleted_at", ...versionFields],
      }),
    );
    return tweets.flatMap(({ values: [edits, editedAt, deletedAt, ...versions], ...one }) => {
      const versionCount = versions.filter((version) => typeof version === "string").length;
      if (edits === null && versionCount === 0) return [];
      return [
        {
          ...one,
          edits: Number(edits),
          kept: versionCount,
          isMarked: editedAt !== null,
          deletedAt,
        },
      ];
    });
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
