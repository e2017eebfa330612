import type { Ctx } from "../../context.ts";
import { inBatches } from "../concurrency-limit.ts";
import { type Command, exec, execEach } from "../../redis/exec.ts";
import { keys, mostOf, ttlOf } from "../../redis/keys.ts";
import { limiterOf } from "../limiter.ts";
import { stampAt, type TweetId } from "../ids.ts";
import { audienceOf } from "../tweets/audience.ts";
import { findTweet } from "../tweets/store.ts";
import { hashtagsIn } from "../tweets/text.ts";
import { type Tweet, wordsOf } from "../tweets/tweet.ts";
import { findUser } from "../users/store.ts";
import { type Indexed, tagTerm, termsOf, unitsIn } from "./terms.ts";
import { forgetTags, noteTags } from "./trending.ts";

/** Max tweets of a hashtag in its own list, and TTL of one that is not used any more; segments have all. */
const tweetsPerTag = mostOf("tag");
export const tagSeconds = ttlOf("tag");
/** Tweets that wait before the first are sealed, and after how many more it is asked for again. */
const waitingAtLeast = 512;
const askedEvery = 64;
const commandsAtOnce = 1000;

/**
 * The terms of a tweet, of its warning too; a retweet has no text, and so no terms. Messages are not searched, and
 * hashtags list what is for everyone.
 */
export function indexedAs(tweet: Tweet): Indexed {
  const audience = audienceOf(tweet);
  const words = audience === "mentioned" ? [] : termsOf(unitsIn(wordsOf(tweet)));
  const tags = audience === "public" ? hashtagsIn(tweet.text).map(tagTerm) : [];
  const terms = [...words, ...tags];
  return { tweet: tweet.id, author: tweet.author, terms };
}

/** The last step of a delivery: makes the tweet searchable. May run twice. */
export async function indexTweet(ctx: Ctx, tweet: Tweet): Promise<void> {
  await addToIndex(ctx, tweet);
  const indexed = indexedAs(tweet);
  if (!indexed.terms.some(isTag)) return;
  const isProtected = (await findUser(ctx, tweet.author))?.protected === true;
  if (!isProtected) await noteTags(ctx, indexed, tweet.createdAt);
}

/**
 * Lists a tweet under its terms. May run twice. If the author's budget of the day is spent, it is false, and the tweet
 * is found once it is sealed.
 */
export async function addToIndex(ctx: Ctx, tweet: Tweet): Promise<boolean> {
  const { author, terms } = indexedAs(tweet);
  if (terms.length === 0) return true;
  const limiter = limiterOf(ctx, "imports:terms");
  if ((await limiter.look(author)).refused) {
    await markUnsealed(ctx, tweet);
    return false;
  }
  const points = await listUnderTerms(ctx, tweet);
  if (points > 0) await limiter.charge(author, points);
  return true;
}

/** The same whatever the budget; returns the points. May run twice. Most of the cost is the number of commands. */
export async function listUnderTerms(ctx: Ctx, tweet: Tweet): Promise<number> {
  const { terms } = indexedAs(tweet);
  await markUnsealed(ctx, tweet);
  const replies = (await exec(
    ctx.redis,
    terms.flatMap((term): Command[] => [
      ["zadd", termKey(term), tweet.createdAt, tweet.id],
      ["zcard", termKey(term)],
    ]),
  )) as number[];
  const sizes = terms.map((_, nth) => replies[2 * nth + 1] ?? 0);
  await exec(
    ctx.redis,
    terms.filter(isTag).flatMap((tag): Command[] => [
      ["zremrangebyrank", termKey(tag), 0, -tweetsPerTag - 1],
      ["expire", termKey(tag), tagSeconds],
    ]),
  );
  return sizes.reduce((sum, size, nth) => sum + (replies[2 * nth] === 1 ? pointsOf(size) : 0), 0);
}

/** By bytes: a new list takes ten times as many as one more tweet in a list. */
function pointsOf(size: number): number {
  return size === 1 ? 10 : 1;
}

/** Notes, before, that lists have something of a tweet that its segment lacks, or lack something that it has. */
export async function markUnsealed(ctx: Ctx, { id, editedAt = 0 }: Pick<Tweet, "id" | "editedAt">) {
  const member = `${id}:${Math.max(stampAt(ctx.now(), id), editedAt)}`;
  const [, count] = (await exec(ctx.redis, [
    ["zadd", keys.unsealed, id, member],
    ["zcard", keys.unsealed],
  ])) as [number, number];
  if (count >= waitingAtLeast && count % askedEvery === 0) await ctx.jobs.chore("seal-tweets", {});
}

/** Removes a deleted tweet from the search; its segment keeps its words until it is made anew. May run twice. */
export async function unindexTweet(ctx: Ctx, indexed: Indexed): Promise<void> {
  if (indexed.terms.length > 0) await markUnsealed(ctx, { id: indexed.tweet });
  await execEach(ctx.redis, indexed.terms, (term) => ["zrem", termKey(term), indexed.tweet]);
  await forgetTags(ctx, indexed);
}

/** Removes tweets whose segment has them from the lists of their words. Those of hashtags stay. */
export async function closeLists(ctx: Ctx, all: readonly Indexed[]): Promise<void> {
  const members = new Map<string, TweetId[]>();
  for (const { tweet, terms } of all)
    for (const term of terms.filter((one) => !isTag(one)))
      members.set(term, [...(members.get(term) ?? []), tweet]);
  const commands = [...members].map(([term, some]): Command => ["zrem", termKey(term), ...some]);
  for (const some of inBatches(commands, commandsAtOnce)) await exec(ctx.redis, some);
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

/** Key of the list of tweets with a term that wait for their segment, or of the newest with a hashtag. */
export function termKey(term: string): string {
  return isTag(term) ? keys.tag(term.slice(1)) : keys.searchTerm(term);
}

export function isTag(term: string): boolean {
  return term.startsWith("#");
}
