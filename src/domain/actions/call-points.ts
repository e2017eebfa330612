import type { Ctx } from "../../context.ts";
import { followersAmong } from "../graph/follows.ts";
import type { TweetId, UserId } from "../ids.ts";
import { strangerPoints } from "../limits.ts";
import { findTweet } from "../tweets/store.ts";
import { checkText, mentionsIn, shortenMentions } from "../tweets/text.ts";
import { hasCalled, type Tweet } from "../tweets/tweet.ts";
import { findMentioned } from "../users/store.ts";

/** A tweet that is about to be posted. */
export interface Calling {
  text: string;
  replyTo?: TweetId | undefined;
  /** It may have no text then. */
  hasPictures?: boolean;
  /** An edit: the tweet as it was. The users that it mentioned cost nothing. */
  before?: Tweet | undefined;
}

/**
 * Points of the limit of mentions that a tweet costs: one for each name and for the answered author, but
 * strangerPoints for users who do not follow the author. Not for a user who has called the author: to answer is
 * no flood. None for a text that cannot be posted.
 */
export async function callPoints(
  ctx: Ctx,
  author: UserId,
  { text: raw, replyTo, hasPictures = false, before }: Calling,
): Promise<number> {
  const { text, problem } = checkText(shortenMentions(ctx, raw), { mayBeEmpty: hasPictures });
  if (problem !== undefined) return 0;
  const known = new Set(before === undefined ? [] : mentionsIn(before.text));
  const names = mentionsIn(text).filter((name) => !known.has(name));
  const [answered, mentioned] = await Promise.all([
    replyTo === undefined ? undefined : findOriginal(ctx, replyTo),
    findMentioned(ctx, names),
  ]);
  const called = new Set(mentioned.map(({ id }) => id));
  const absent = names.length - called.size;
  if (answered !== undefined) called.add(answered.author);
  called.delete(author);
  if (called.size === 0) return absent;
  const followers = await followersAmong(ctx, author, called);
  const answers = answered !== undefined && hasCalled(answered, author);
  const costs = [...called].map((id) =>
    followers.has(id) || (answers && id === answered.author) ? 1 : strangerPoints,
  );
  return costs.reduce((sum, cost) => sum + cost, absent);
}

/** The tweet itself, or a retweet's original. */
async function findOriginal(ctx: Ctx, id: TweetId): Promise<Tweet | undefined> {
  const tweet = await findTweet(ctx, id);
  return tweet?.retweetOf === undefined ? tweet : await findTweet(ctx, tweet.retweetOf.tweet);
}
