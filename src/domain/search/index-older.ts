import type { Ctx } from "../../context.ts";
import { execEach } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { type TweetId, tweetId, userId } from "../ids.ts";
import { readTweets } from "../tweets/store.ts";
import { type Tweet, wordsOf } from "../tweets/tweet.ts";
import { foldText } from "../word-match.ts";
import { indexPerson } from "./index-person.ts";
import { indexedAs, listUnderTerms, termKey } from "./index-tweet.ts";
import { pairsIn, splitFolded, wordTerm } from "./terms.ts";

/**
 * Field of site:data: "people ID" or "tweets ID", from where down people, and then tweets, wait for their terms of
 * today; empty or absent if none do. The job changes it with a comparison, so of two jobs one ends.
 */
const field = "unindexed";
/** Ids in a step: about a second of a job. */
const steps = { people: 100, tweets: 500 } as const;
/** Variation selectors. */
const variation = /[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]/gu;

/** Makes everything wait that there is now. Called by a migration; may run twice. */
export async function askForIndexing({ redis }: Ctx): Promise<void> {
  const last = Number(await redis.get(keys.userIds));
  await redis.hset(keys.siteData, field, `people ${last}`);
}

/** Whether older people or tweets are not found by all of their terms yet. */
export async function isIndexing({ redis }: Ctx): Promise<boolean> {
  return Boolean(await redis.hget(keys.siteData, field));
}

/** Promises the jobs: what waits is indexed, and the index of an earlier version sealed. Called when workers start. */
export async function resumeIndexing(ctx: Ctx): Promise<void> {
  await ctx.jobs.chore("seal-tweets", {});
  if (await isIndexing(ctx)) await ctx.jobs.chore("index-older", {});
}

/**
 * The job: one step, newest first, then the promise of the next. One tweet after the other, so Redis has time for
 * users. May run twice, and at the same time as itself.
 */
export async function indexOlder(ctx: Ctx): Promise<void> {
  const before = await ctx.redis.hget(keys.siteData, field);
  if (!before) return;
  const [what, from] = before.split(" ");
  const run = what === "people" ? indexPeople : indexTweets;
  const next = await run(ctx, Number(from));
  const isMine = await ctx.redis.updateIf(keys.siteData, field, before, field, next);
  if (isMine === 0) return;
  if (next === "") ctx.log.info("all tweets and people are indexed");
  else await ctx.jobs.chore("index-older", {});
}

async function indexPeople(ctx: Ctx, from: number): Promise<string> {
  const to = Math.max(from - steps.people, 0);
  for (let id = from; id > to; id -= 1) await indexPerson(ctx, userId(id));
  return to > 0 ? `people ${to}` : `tweets ${Number(await ctx.redis.get(keys.tweetIds))}`;
}

async function indexTweets(ctx: Ctx, from: number): Promise<string> {
  const to = Math.max(from - steps.tweets, 0);
  const ids = Array.from({ length: from - to }, (_, nth) => tweetId(from - nth));
  const tweets = await readTexts(ctx, ids);
  for (const tweet of tweets) {
    await listUnderTerms(ctx, tweet);
    await execEach(ctx.redis, retiredTerms(tweet.text), (term) => ["unlink", termKey(term)]);
  }
  // A deletion or an edit may have looked before its tweet was listed.
  const left = new Map((await readTexts(ctx, ids)).map((tweet) => [tweet.id, tweet]));
  for (const tweet of tweets) {
    const again = left.get(tweet.id);
    if (again === undefined) await ctx.jobs.chore("unindex-tweet", indexedAs(tweet));
    else if (again.editedAt !== tweet.editedAt)
      await ctx.jobs.chore("reconcile-edit", {
        ...indexedAs(tweet),
        at: tweet.createdAt,
        called: [],
      });
  }
  return to > 0 ? `tweets ${to}` : "";
}

/** Those of the tweets that exist and have a text. */
async function readTexts(ctx: Ctx, ids: TweetId[]): Promise<Tweet[]> {
  const tweets = (await readTweets(ctx, ids)).filter((tweet) => tweet !== undefined);
  return tweets.filter((tweet) => wordsOf(tweet) !== "");
}

/** Terms that earlier versions listed a text under, and that no search asks for: with an accent, in the plural … */
export function retiredTerms(text: string): string[] {
  const folded = text.normalize("NFKC").toLowerCase().normalize("NFKC").replaceAll(variation, "");
  const terms = splitFolded(folded).flatMap(({ text: unit, isRun }) =>
    isRun ? pairsIn(unit) : [[...unit].slice(0, 40).join("")],
  );
  return [...new Set(terms)].filter((term) => wordTerm(foldText(term)) !== term);
}
