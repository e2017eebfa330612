import type { Ctx } from "../../context.ts";
import { Forbidden, NotFound, required } from "../errors.ts";
import { followedAmong } from "../graph/follows.ts";
import { isHiddenFrom, relationsTo, requireNoBlock, type Viewer } from "../graph/relations.ts";
import type { TweetId, UserId } from "../ids.ts";
import { audienceOf, effectiveAudience, isOpen } from "../tweets/audience.ts";
import { findTombstone, findTweet, getTweet } from "../tweets/store.ts";
import { mentionsOrAnswers, type Tweet } from "../tweets/tweet.ts";
import { findUser, findUsers } from "../users/store.ts";

/** What the rule reads of a tweet. An author alone stands for a retweet by them, which is open unless they are protected. */
type Judged = Pick<Tweet, "author" | "audience" | "replyTo" | "mentions">;

/**
 * Tells which of `tweets` the viewer (undefined: signed out) may see. `users` and `relationTo` are those of the authors
 * and of `others`. Sends no command if all are cached.
 */
export async function sightOf(
  ctx: Ctx,
  viewer: Viewer | undefined,
  tweets: readonly Judged[],
  others: Iterable<UserId> = [],
) {
  const people = new Set(others);
  for (const { author } of tweets) people.add(author);
  const [users, relationTo] = await Promise.all([
    findUsers(ctx, people),
    relationsTo(ctx, viewer, people),
  ]);
  /** Whether a tweet is not for everyone. */
  const isForSome = (tweet: Judged) => {
    const author = users.get(tweet.author);
    return author !== undefined && !isOpen(tweet, author);
  };
  const authors = tweets.filter(isForSome).map(({ author }) => author);
  const asked = authors.filter((author) => author !== viewer?.id);
  const follows =
    viewer && asked.length > 0 ? await followedAmong(ctx, viewer.id, asked) : new Set<UserId>();
  /** The rule of all readers. A retweet is asked for by itself and by its original. */
  const isSeen = (tweet: Judged) => {
    const author = users.get(tweet.author);
    if (author === undefined || isHiddenFrom(viewer, author, relationTo)) return false;
    if (author.id === viewer?.id || isOpen(tweet, author)) return true;
    if (viewer === undefined) return false;
    if (mentionsOrAnswers(tweet, viewer.id)) return true;
    return effectiveAudience(tweet, author) === "followers" && follows.has(author.id);
  };
  /** Whether it is hidden by its audience: then nothing tells that it exists, unlike beside a block. */
  const isClosed = (tweet: Judged) => isForSome(tweet) && !isSeen(tweet);
  /**
   * Whether what `answer` answers is closed. Of a deleted tweet, `above` is the tombstone; without it an open answer
   * tells, unless the answered author, who then is among the `tweets`, is protected by now.
   */
  const isAnswerClosed = (answer: Tweet, above: Tweet | undefined) =>
    above === undefined
      ? !mayNameAnswered(answer, viewer, answer.replyTo !== undefined && isClosed(answer.replyTo))
      : isClosed(above);
  return { users, relationTo, isSeen, isClosed, isAnswerClosed };
}

/** An open answer was to an open tweet. Who is named in another one may know what it answers. */
function mayNameAnswered(answer: Tweet, viewer: Viewer | undefined, isHidden: boolean): boolean {
  if (!isHidden && ["public", "unlisted"].includes(audienceOf(answer))) return true;
  return (
    viewer !== undefined && (answer.author === viewer.id || mentionsOrAnswers(answer, viewer.id))
  );
}

/** Whether the viewer may see this one tweet. */
export async function isSeenBy(ctx: Ctx, viewer: Viewer | undefined, tweet: Tweet) {
  return (await sightOf(ctx, viewer, [tweet])).isSeen(tweet);
}

/**
 * A tweet that `user` may know of: an own one, one that is open, even beside a block, or one that the user may see. A
 * retweet by others is as its original. Throws NotFound.
 */
export async function getKnown(ctx: Ctx, user: UserId, id: TweetId): Promise<Tweet> {
  const tweet = await getTweet(ctx, id);
  if (tweet.author === user) return tweet;
  if (!(await isKnownTo(ctx, user, tweet))) throw new NotFound("tweet");
  if (tweet.retweetOf !== undefined) await getKnown(ctx, user, tweet.retweetOf.tweet);
  return tweet;
}

async function isKnownTo(ctx: Ctx, user: UserId, tweet: Tweet): Promise<boolean> {
  const author = await findUser(ctx, tweet.author);
  if (author === undefined || author.suspended) return false;
  return isOpen(tweet, author) || (await isSeenBy(ctx, { id: user }, tweet));
}

/** Throws NotFound, Forbidden for the tweet of another user that this one may know of. */
export async function getOwnTweet(ctx: Ctx, user: UserId, id: TweetId): Promise<Tweet> {
  const tweet = await getKnown(ctx, user, id);
  if (tweet.author !== user) throw new Forbidden("another user's tweet");
  return tweet;
}

/**
 * For taking an action back: the id of the tweet, or of a retweet's original; also of one that is gone or hidden, if
 * the user `hasActed` on it. Else undefined, which tells a hidden tweet neither from a deleted one nor from none.
 */
export async function findActedOn(
  ctx: Ctx,
  user: UserId,
  id: TweetId,
  hasActed: (original: TweetId) => Promise<string | null>,
): Promise<TweetId | undefined> {
  const original = (await findTombstone(ctx, id))?.retweetOf?.tweet ?? id;
  const tweet = await findTweet(ctx, original);
  const isKnown = tweet !== undefined && (await isKnownTo(ctx, user, tweet));
  return isKnown || (await hasActed(original)) !== null ? original : undefined;
}

/**
 * For an action of `user`: the tweet, or a retweet's original, with its author. Throws NotFound if it is gone or hidden
 * from the user, Blocked if it is open and either has blocked the other.
 */
export async function getSeen(ctx: Ctx, user: UserId, id: TweetId) {
  const named = await getKnown(ctx, user, id);
  const tweet = named.retweetOf ? await getKnown(ctx, user, named.retweetOf.tweet) : named;
  await requireNoBlock(ctx, user, tweet.author);
  const author = required(await findUser(ctx, tweet.author), "tweet");
  return { tweet, author };
}
