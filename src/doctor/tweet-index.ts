import { parseTweetId, type TweetId } from "../domain/ids.ts";
import { termKey, indexedAs } from "../domain/search/index-tweet.ts";
import { findTweet } from "../domain/tweets/store.ts";
import { type Tweet, toTweet, tweetFields } from "../domain/tweets/tweet.ts";
import type { Command } from "../redis/exec.ts";
import { keys } from "../redis/keys.ts";
import type { Check, Exam } from "./exam.ts";
import type { FoundKey } from "./key-kinds.ts";
import { membersOf } from "./lists.ts";
import { jobsAbout } from "./pending.ts";

/** Max length of a list; it decides nothing about tweets older than this many. */
const listLimit = 10_000;
/** TTL of a term's list without new tweets. */
const termSeconds = 365 * 24 * 60 * 60;
const keptMicroseconds = (termSeconds - 24 * 60 * 60) * 1e6;

/** The search finds each tweet by its words and tags. Deleted tweets are removed from the lists. */
export const tweetIndexChecks: Check[] = [
  {
    of: ["searchTerm", "tag"],
    async look(exam, found) {
      for await (const batch of membersOf(exam, found)) {
        const factsOf = await exam.facts.tweets(batch.map(({ id }) => id));
        for (const { of, id } of batch) {
          exam.maxIds.sawTweet(id);
          const facts = factsOf(id);
          if (facts?.state !== "alive") suspectGone(exam, of, id, facts?.author);
        }
      }
    },
  },
  {
    of: ["tweet"],
    async look(exam, found) {
      const ids = found.flatMap(({ parts }) => parseTweetId(parts[0] ?? "") ?? []);
      const tweets = (await readTexts(exam, ids)).filter(
        ({ createdAt }) => !exam.isYoung(createdAt) && isRecent(exam, createdAt),
      );
      const missing = await unlistedAmong(exam, tweets);
      for (const [index, tweet] of tweets.entries())
        if ((missing[index]?.length ?? 0) > 0) suspectUnindexed(exam, tweet);
    },
  },
];

function isRecent({ ctx }: Exam, createdAt: number): boolean {
  return ctx.now() * 1000 - createdAt < keptMicroseconds;
}

async function readTexts(exam: Exam, ids: TweetId[]): Promise<Tweet[]> {
  const replies = await exam.ask<(string | null)[]>(
    ids.map((id) => ["hmget", keys.tweet(id), ...tweetFields]),
  );
  return ids.flatMap((id, index) => toTweet(id, replies[index] ?? []) ?? []);
}

/**
 * For each tweet, the terms that lack it. Empty if all of its terms do: then it was left out on purpose, as
 * its author's budget of the day was spent. One command per term.
 */
async function unlistedAmong(exam: Exam, tweets: Tweet[]): Promise<string[][]> {
  const byTerm = new Map<string, number[]>();
  for (const [index, tweet] of tweets.entries())
    for (const term of indexedAs(tweet).terms) {
      const known = byTerm.get(term);
      if (known === undefined) byTerm.set(term, [index]);
      else known.push(index);
    }
  const terms = [...byTerm];
  const replies = await exam.ask<(string | null)[]>(
    terms.map(([term, of]) => [
      "zmscore",
      termKey(term),
      ...of.map((nth) => tweets[nth]?.id ?? ""),
    ]),
  );
  const absent = terms.flatMap(([term, of], nth) =>
    of.flatMap((index, at) => (replies[nth]?.[at] === null ? [{ term, index }] : [])),
  );
  const newer = await exam.ask<number>(
    absent.map(({ term, index }) => [
      "zcount",
      termKey(term),
      tweets[index]?.createdAt ?? 0,
      "+inf",
    ]),
  );
  const missing = tweets.map((): string[] => []);
  const absences = tweets.map(() => 0);
  for (const [nth, { term, index }] of absent.entries()) {
    absences[index] = (absences[index] ?? 0) + 1;
    if ((newer[nth] ?? 0) < listLimit) missing[index]?.push(term);
  }
  return tweets.map((tweet, index) =>
    absences[index] === indexedAs(tweet).terms.length ? [] : (missing[index] ?? []),
  );
}

function suspectUnindexed(exam: Exam, tweet: Tweet): void {
  const { id } = tweet;
  exam.suspect({
    kind: "tweet-index",
    key: keys.tweet(id),
    jobs: jobsAbout(id, tweet),
    async look() {
      const found = await findTweet(exam.ctx, id);
      const [[state], [facts]] = await Promise.all([
        exam.facts.readUsers([tweet.author]),
        exam.facts.readTweets([id]),
      ]);
      if (found === undefined || facts?.state !== "alive" || state !== "alive") return undefined;
      const [[term] = []] = await unlistedAmong(exam, [found]);
      return term === undefined ? undefined : `is not found by "${term}"`;
    },
    repair: "list it under its words",
    async mend() {
      const [terms = []] = await unlistedAmong(exam, [tweet]);
      await exam.ask(
        terms.flatMap((term): Command[] => [
          ["zadd", termKey(term), tweet.createdAt, id],
          ["expire", termKey(term), termSeconds],
        ]),
      );
      // If it was deleted meanwhile, the deletion may have looked before.
      if ((await findTweet(exam.ctx, id)) === undefined)
        await exam.ctx.jobs.chore("unindex-tweet", indexedAs(tweet));
    },
  });
}

function suspectGone(exam: Exam, { key }: FoundKey, id: string, author: string | undefined): void {
  const { redis } = exam.ctx;
  const tweet = parseTweetId(id);
  if (tweet === undefined) return;
  exam.suspect({
    kind: "tweet-index",
    key,
    member: id,
    jobs: [
      `deliver ${id}`,
      `settle-deletion ${id}`,
      ...(author === undefined ? [] : [`unindex-tweet ${id} ${author}`, `erase ${author}`]),
    ],
    async look() {
      const [facts] = await exam.facts.readTweets([tweet]);
      if (facts?.state === "alive") return undefined;
      return (await redis.zscore(key, id)) === null ? undefined : `has ${id}, which is gone`;
    },
    repair: "take it out",
    mend: () => redis.zrem(key, id),
  });
}
