import { setTimeout as sleep } from "node:timers/promises";
import { type TweetId, tweetId, type UserId, stampAt } from "../../src/domain/ids.ts";
import { inBatches } from "../../src/domain/concurrency-limit.ts";
import { addToTimelines } from "../../src/domain/timelines/store.ts";
import { globalFeed } from "../../src/domain/feeds/feeds.ts";
import { findTweets, parseQuery } from "../../src/domain/search/find-tweets.ts";
import { askForIndexing, indexOlder } from "../../src/domain/search/index-older.ts";
import { indexedAs, indexTweet } from "../../src/domain/search/index-tweet.ts";
import { levels, sealStep } from "../../src/domain/search/seal-tweets.ts";
import { createTweet } from "../../src/domain/tweets/store.ts";
import type { Tweet } from "../../src/domain/tweets/tweet.ts";
import { bytesOfKinds } from "./kinds.ts";
import { each, type Lab, makePeople } from "./lab.ts";
import { median, quantile, timeEach } from "./load.ts";
import { type Language, languages, sayings } from "./sayings.ts";
import { usedBytes } from "./memory.ts";
import { keys } from "../../src/redis/keys.ts";

const tweetsOf = { english: 80_000, japanese: 25_000 };
const people = 200;
/** Tweets that are listed one after another, for the time of one. */
const single = 100;
/** Tweets that are listed between two sealings, as on a site. */
const [open] = levels;
/** Tweets of the site whose first one is searched for. */
const reached = 30_000;
/** Milliseconds after which what was replaced is deleted. */
const remainsKept = 2 * 60 * 60 * 1000;

/** What search costs: bytes and time of each tweet that is listed, and milliseconds of queries. */
export async function search(lab: Lab) {
  const reachesFirstTweet = await reach(lab);
  await lab.clear();
  const authors = await makePeople(lab, "writer", people);
  const english = await list(lab, authors, "english", 0);
  const japanese = await list(lab, authors, "japanese", english.tweets);
  const queries = {
    rareWord: await time(lab, (nth) => languages.english.word(15_000 + nth)),
    commonWord: await time(lab, (nth) => languages.english.word(nth)),
    twoCommonWords: await time(lab, (nth) => both(nth, 1, (at) => languages.english.word(at))),
    commonAndRare: await time(lab, (nth) => both(nth, 9000, (at) => languages.english.word(at))),
    pairOfJapanese: await time(lab, (nth) => languages.japanese.word(200 + nth).slice(0, 2)),
    oneKanji: await time(lab, (nth) => languages.japanese.word(200 + nth).slice(0, 1)),
    oneKana: await time(lab, () => "の"),
    phrase: await time(lab, (nth) => `"${both(nth, 1, (at) => languages.english.word(at))}"`),
    japaneseWords: await time(lab, (nth) => both(nth, 7, (at) => languages.japanese.word(at))),
    fromAndWord: await time(lab, (nth) => `from:writer_${nth} ${languages.english.word(nth)}`),
    // Two full lists that share nothing: every id of one is looked up in the other.
    worst: await time(lab, () => "oddly evenly"),
    nobodyHasIt: await time(lab, (nth) => `unheard${nth}`),
  };
  const page = await timeEach(lab.times(50), () => globalFeed(lab.ctx, { viewer: undefined }));
  const ours = queries.twoCommonWords.p50 ?? 0;
  return {
    ours,
    limit: median(page),
    ratio: ours / median(page),
    unit: "ms, two common words : newest 50",
    reachesFirstTweet,
    english,
    japanese,
    queries,
    indexedAgainASecond: await indexAgain(lab, english.tweets + japanese.tweets),
  };
}

/** Tweets in a second that the job of an upgrade indexes: the newest ones, which are Japanese. */
async function indexAgain({ ctx }: Lab, total: number): Promise<number> {
  await ctx.redis.set(keys.tweetIds, total);
  await askForIndexing(ctx);
  while ((await ctx.redis.hget(keys.siteData, "unindexed"))?.startsWith("people") === true)
    await indexOlder(ctx);
  const took = await timeEach(10, () => indexOlder(ctx));
  return (10 * 500) / (took.reduce((sum, one) => sum + one, 0) / 1000);
}

/** Whether the first of many tweets with a common word is on the last page of its search. */
async function reach(lab: Lab): Promise<boolean> {
  await lab.clear();
  const [author] = await makePeople(lab, "author", 1);
  if (author === undefined) return false;
  const total = lab.scale < 0.1 ? reached / 10 : reached;
  await each(lab, "tweets with one word", total, async (nth) => {
    const id = tweetId(nth + 1);
    const createdAt = stampAt(Date.now() - (total - nth) * 10, id);
    await createTweet(lab.ctx, { id, author, text: `common saying ${nth}`, createdAt });
  });
  await seal(lab, total);
  let [last, before]: [string, number | undefined] = ["", undefined];
  do {
    const page = await findTweets(lab.ctx, parseQuery("common"), { viewer: undefined, before });
    last = page.items.at(-1)?.tweet.id ?? last;
    before = page.older;
  } while (before !== undefined);
  return last === "1";
}

/** Seals all tweets up to an id, as jobs do; returns the time of each step. */
export async function seal({ ctx }: Lab, last: number): Promise<number[]> {
  await ctx.redis.set(keys.tweetIds, last);
  const took: number[] = [];
  // An hour later what was delivered late is sealed too, and then what was replaced is deleted.
  for (const later of [0, remainsKept, 2 * remainsKept])
    for (let more = true; more;) {
      const began = performance.now();
      more = await sealStep({ ...ctx, now: () => Date.now() + later }, { age: 0 });
      took.push(performance.now() - began);
    }
  return took;
}

const both = (nth: number, distance: number, word: (at: number) => string) =>
  `${word(nth)} ${word(nth + distance)}`;

/** Writes and lists tweets, few at a time, and seals them as a site does; measures the newest before they are sealed. */
async function list(lab: Lab, authors: UserId[], language: Language, from: number) {
  const { ctx } = lab;
  const bytesOfOthers = await searchBytes(lab);
  const total = Math.round(tweetsOf[language] * lab.scale);
  const began = Date.now();
  const tweets = sayings(language, total).map((text, nth): Tweet => {
    const id: TweetId = tweetId(from + nth + 1);
    const author = authors[nth % authors.length] as UserId;
    return { id, author, text, createdAt: stampAt(began - (total - nth) * 10, id) };
  });
  const newest = tweets.splice(-open);
  const steps: number[] = [];
  for (const older of inBatches(tweets, open)) {
    await write(lab, older);
    await each(lab, "older tweets listed", older.length, (nth) =>
      indexTweet(ctx, older[nth] as Tweet),
    );
    steps.push(...(await seal(lab, Number(older.at(-1)?.id))));
  }
  await write(lab, newest);
  // Redis keeps the memory of a connection that was busy, and of what is deleted, for a moment.
  await sleep(lab.seconds(3) * 1000);
  const before = await usedBytes(ctx.redis);
  const start = { time: performance.now(), redis: await redisTime(lab), own: ownTime() };
  const many = newest.length - Math.min(single, Math.ceil(newest.length / 2));
  await each(lab, `${language} tweets listed`, many, (nth) =>
    indexTweet(ctx, newest[nth] as Tweet),
  );
  const rate = many / ((performance.now() - start.time) / 1000);
  const redis = (await redisTime(lab)) - start.redis;
  const own = ownTime() - start.own;
  const bytes = (await usedBytes(ctx.redis)) - before;
  const took = await timeEach(newest.length - many, (nth) =>
    indexTweet(ctx, newest[many + nth] as Tweet),
  );
  steps.push(...(await seal(lab, from + total)));
  const bytesOfAll = (await searchBytes(lab)) - bytesOfOthers;
  const terms = newest.slice(0, 1000).map((tweet) => indexedAs(tweet).terms.length);
  return {
    tweets: total,
    terms: terms.reduce((sum, count) => sum + count, 0) / terms.length,
    bytesAnOpenTweet: bytes / many,
    bytesATweet: bytesOfAll / total,
    msToSeal: steps.reduce((sum, one) => sum + one, 0) / total,
    listedASecond: rate,
    processorMsInRedis: redis / many,
    processorMsInNode: own / many,
    msToList: median(took),
  };
}

/** Bytes of all that the search keeps of tweets, sealed or not; as MEMORY USAGE counts them. */
async function searchBytes({ ctx }: Lab): Promise<number> {
  const kinds = await bytesOfKinds(ctx.redis);
  const { searchTerm, unsealed, sealed, sealedTerms, sealedLong, sealedOrder } = kinds;
  const ofSearch = [searchTerm, unsealed, sealed, sealedTerms, sealedLong, sealedOrder];
  return ofSearch.reduce((sum, { bytes }) => sum + bytes, 0);
}

async function write(lab: Lab, tweets: Tweet[]): Promise<void> {
  await each(lab, "tweets", tweets.length, async (nth) => {
    const tweet = tweets[nth] as Tweet;
    await createTweet(lab.ctx, tweet);
    const { id, author, createdAt } = tweet;
    await addToTimelines(lab.ctx, { tweet: id, author, stamp: createdAt });
  });
}

async function time(lab: Lab, query: (nth: number) => string) {
  let found = 0;
  const took = await timeEach(lab.times(40), async (nth) => {
    const page = await findTweets(lab.ctx, parseQuery(query(nth)), { viewer: undefined });
    found += page.items.length;
  });
  const [best, p50, p99] = [0, 0.5, 0.99].map((q) => quantile(took, q));
  return { best, p50, p99, found: found / took.length };
}

/** Milliseconds of a processor that Redis has used: what other programs do at the same time counts little. */
async function redisTime({ ctx }: Lab): Promise<number> {
  const info = await ctx.redis.info("cpu");
  const seconds = (what: string) =>
    Number(new RegExp(`used_cpu_${what}:([\\d.]+)`).exec(info)?.[1]);
  return 1000 * (seconds("sys") + seconds("user"));
}

function ownTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
