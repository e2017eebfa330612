import { indexedAs, termKey, termSeconds, tweetsKept } from "../domain/search/index-tweet.ts";
import { workFor } from "../domain/actions/reconcile-edit.ts";
import { tweetId } from "../domain/ids.ts";
import { findTweet } from "../domain/tweets/store.ts";
import { type Tweet, toTweet, tweetFields } from "../domain/tweets/tweet.ts";
import type { Command } from "../redis/exec.ts";
import { runAll } from "./ask.ts";
import { groupBy } from "./batches.ts";
import { type Exam, keyCheck } from "./exam.ts";
import { jobsAbout } from "./jobs.ts";

/** Older tweets may have left the lists of their terms with the lists. */
const keptMicroseconds = (termSeconds - 24 * 60 * 60) * 1e6;

/** The search finds each tweet by its words and tags. */
export const tweetIndex = keyCheck({
  of: ["tweet"],
  async read(exam, items) {
    const found = await exam.ask(items, ({ key }) => ({ values: ["hmget", key, ...tweetFields] }));
    const tweets = found.flatMap(({ values, ...item }) => {
      const tweet = toTweet(tweetId(item.owner), values);
      return tweet && isSettled(exam, tweet) ? [{ ...item, tweet }] : [];
    });
    const missing = await missingTerms(exam, tweets);
    const stateOf = await exam.facts.users(tweets.map(({ tweet }) => tweet.author));
    return tweets.map((one) => ({
      ...one,
      author: stateOf(one.tweet.author),
      missing: missing.get(one.tweet) ?? [],
    }));
  },
  jobs: ({ tweet }) => [...jobsAbout(tweet.id, tweet), "index-older"],
  faults: {
    "tweet-index": {
      detail: ({ author, missing: [term] }) =>
        author === "alive" && term !== undefined && `is not found by "${term}"`,
      repair: "list it under its words",
      async mend({ ctx }, { tweet, missing }) {
        const lists = missing.map(termKey);
        await runAll(ctx.redis, [
          ...lists.map((list): Command => ["zadd", list, tweet.createdAt, tweet.id]),
          ...lists.map((list): Command => ["expire", list, termSeconds]),
        ]);
        // If it was deleted or edited meanwhile, that may have looked before.
        const again = await findTweet(ctx, tweet.id);
        if (again === undefined) await ctx.jobs.chore("unindex-tweet", indexedAs(tweet));
        else if (again.editedAt !== tweet.editedAt)
          await ctx.jobs.chore("settle-edit", workFor(tweet, again));
      },
    },
  },
});

function isSettled(exam: Exam, { createdAt, editedAt = createdAt }: Tweet): boolean {
  return !exam.isYoung(editedAt) && exam.ctx.now() * 1000 - createdAt < keptMicroseconds;
}

/**
 * By tweet, the terms that lack it. None if all of its terms do: then it was left out on purpose, as its
 * author's budget of the day was spent. One command per term.
 */
async function missingTerms(exam: Exam, tweets: { tweet: Tweet }[]): Promise<Map<Tweet, string[]>> {
  const uses = tweets.flatMap(({ tweet }) =>
    indexedAs(tweet).terms.map((term) => ({ term, tweet })),
  );
  const lists = [...groupBy(uses, ({ term }) => term)].map(([term, some]) => ({ term, some }));
  const asked = await exam.ask(lists, ({ term, some }) => ({
    scores: ["zmscore", termKey(term), ...some.map(({ tweet }) => tweet.id)],
  }));
  const absent = await exam.ask(
    asked.flatMap(({ some, scores }) => some.filter((_, nth) => scores[nth] === null)),
    ({ term, tweet }) => ({ newer: ["zcount", termKey(term), tweet.createdAt, "+inf"] }),
  );
  const missing = new Map<Tweet, string[]>();
  for (const [tweet, lacking] of groupBy(absent, (use) => use.tweet)) {
    // A list decides nothing about tweets that are older than it can hold.
    const terms = lacking
      .filter(({ term, newer }) => newer < tweetsKept(term))
      .map(({ term }) => term);
    if (lacking.length < indexedAs(tweet).terms.length) missing.set(tweet, terms);
  }
  return missing;
}

/** The lists of words and tags have only tweets that exist. */
export const termLists = keyCheck({
  of: ["searchTerm", "tag"],
  each: "member",
  async read(exam, members) {
    const factsOf = await exam.facts.tweets(members.map(({ id }) => id));
    return members.map((member) => ({ ...member, facts: factsOf(member.id) }));
  },
  jobs: ({ id, facts }) => [
    ...jobsAbout(id, facts),
    ...(facts === undefined ? [] : [`unindex-tweet ${id} ${facts.author}`]),
  ],
  faults: {
    "tweet-index": {
      detail: ({ id, facts }) => facts?.alive !== true && `has ${id}, which is gone`,
      repair: "take it out",
      mend: ({ ctx }, { key, id }) => ctx.redis.zrem(key, id),
    },
  },
});
