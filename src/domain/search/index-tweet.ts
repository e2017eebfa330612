import type { Ctx } from "../../context.ts";
import { type Command, exec } from "../../redis/exec.ts";
import { keys, mostOf, ttlOf } from "../../redis/keys.ts";
import { limiterOf } from "../limiter.ts";
import type { Stamp } from "../stamp.ts";
import { findTweet } from "../tweets/store.ts";
import { hashtagsIn } from "../tweets/text.ts";
import { type Tweet, wordsOf } from "../tweets/tweet.ts";
import { type Indexed, tagTerm, termsOf, unitsIn } from "./terms.ts";
import { forgetTags, noteTags } from "./trending.ts";

/** Max tweets of a term; the oldest are dropped. Single characters are in most tweets of a language. */
const tweetsPerTerm = mostOf("searchTerm");
const tweetsPerCharacter = 1000;
/** TTL of a term that is not used any more. */
export const termSeconds = ttlOf("searchTerm");

/** The terms of a tweet, of its warning too; a retweet has no text, and so no terms. */
export function indexedAs(tweet: Tweet): Indexed {
  const terms = [...termsOf(unitsIn(wordsOf(tweet))), ...hashtagsIn(tweet.text).map(tagTerm)];
  return { tweet: tweet.id, author: tweet.author, terms };
}

/** The last step of a delivery: makes the tweet searchable. May run twice. */
export async function indexTweet(ctx: Ctx, tweet: Tweet): Promise<void> {
  const indexed = indexedAs(tweet);
  await addToIndex(ctx, indexed, tweet.createdAt);
  await noteTags(ctx, indexed, tweet.createdAt);
}

/**
 * Lists a tweet under its terms. May run twice. False, without listing, if the author's budget of the day is spent.
 */
export async function addToIndex(ctx: Ctx, indexed: Indexed, stamp: Stamp): Promise<boolean> {
  const { author, terms } = indexed;
  if (terms.length === 0) return true;
  const limiter = limiterOf(ctx, "imports:terms");
  if ((await limiter.look(author)).refused) return false;
  const points = await listUnderTerms(ctx, indexed, stamp);
  if (points > 0) await limiter.charge(author, points);
  return true;
}

/**
 * The same whatever the budget; returns the points. May run twice. Most of the cost is the number of commands, so
 * lists are trimmed only if their size asks for it.
 */
export async function listUnderTerms(
  ctx: Ctx,
  { tweet, terms }: Indexed,
  stamp: Stamp,
): Promise<number> {
  const lists = terms.map(termKey);
  const replies = (await exec(
    ctx.redis,
    lists.flatMap((list): Command[] => [
      ["zadd", list, stamp, tweet],
      ["zcard", list],
    ]),
  )) as number[];
  const entries = lists.map((list, nth) => ({
    list,
    kept: tweetsKept(terms[nth] ?? ""),
    isNew: replies[2 * nth] === 1,
    size: replies[2 * nth + 1] ?? 0,
  }));
  await exec(
    ctx.redis,
    entries.flatMap((entry) => upkeepOf(entry)),
  );
  return entries.reduce((sum, entry) => sum + pointsOf(entry), 0);
}

/** Max tweets in the list of a term. */
export function tweetsKept(term: string): number {
  const isCharacter = term.length <= 2 && term === String.fromCodePoint(term.codePointAt(0) ?? 0);
  return isCharacter ? tweetsPerCharacter : tweetsPerTerm;
}

/** By bytes: a new list takes ten times as many as one more tweet in a list. */
function pointsOf({ isNew, size }: { isNew: boolean; size: number }): number {
  if (!isNew) return 0;
  return size === 1 ? 10 : 1;
}

/** Lists with more than a few ids are renewed only at every eighth addition. */
function upkeepOf({ list, size, kept }: { list: string; size: number; kept: number }): Command[] {
  const upkeep: Command[] = [];
  if (size > kept) upkeep.push(["zremrangebyrank", list, 0, -kept - 1]);
  if (size > kept || size < 8 || size % 8 === 0) upkeep.push(["expire", list, termSeconds]);
  return upkeep;
}

/** Removes a deleted tweet from the search. May run twice. */
export async function unindexTweet(ctx: Ctx, indexed: Indexed): Promise<void> {
  await exec(
    ctx.redis,
    indexed.terms.map((term) => ["zrem", termKey(term), indexed.tweet]),
  );
  await forgetTags(ctx, indexed);
}

/** Call it before a tweet loses its text: its terms are unknown after that. */
export async function promiseUnindexing(ctx: Ctx, tweet: Tweet): Promise<void> {
  const indexed = indexedAs(tweet);
  if (indexed.terms.length > 0) await ctx.jobs.chore("unindex-tweet", indexed, "later");
}

/** The chore promised above. Does nothing if the deletion failed and the tweet still exists. */
export async function unindexIfGone(ctx: Ctx, indexed: Indexed): Promise<void> {
  if ((await findTweet(ctx, indexed.tweet)) === undefined) await unindexTweet(ctx, indexed);
}

/** Key of the list of tweets with a term, or with a hashtag. */
export function termKey(term: string): string {
  return term.startsWith("#") ? keys.tag(term.slice(1)) : keys.searchTerm(term);
}

/** Whether any listed tweet has this hashtag (folded). */
export async function isTagUsed(ctx: Ctx, tag: string): Promise<boolean> {
  return (await ctx.redis.exists(keys.tag(tag))) === 1;
}
