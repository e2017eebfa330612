import type { Ctx } from "../../context.ts";
import { Forbidden, NotFound, required } from "../errors.ts";
import { followedAmong } from "../graph/follows.ts";
import {
  isHiddenFrom,
  type Relation,
  relationsTo,
  requireNoBlock,
  type Viewer,
} from "../graph/relations.ts";
import type { TweetId, UserId } from "../ids.ts";
import { audienceOf, effectiveAudience, isOpen } from "../tweets/audience.ts";
import { findTombstone, findTweet, getTweet } from "../tweets/store.ts";
import { mentionsOrAnswers, type Tweet } from "../tweets/tweet.ts";
import { findUser, findUsers, type User } from "../users/store.ts";

/** What the rule reads of a tweet. An author alone stands for a retweet by them, which is open unless they are protected. */
type Judged = Pick<Tweet, "author" | "audience" | "replyTo" | "mentions">;

/** What decides whether a viewer may see a tweet. */
interface Facts {
  viewer: Viewer | undefined;
  /** Undefined: the author is gone. */
  author: User | undefined;
  relationTo: (id: UserId) => Relation;
  /** Of the authors of tweets that are not open, those whom the viewer follows. */
  follows: ReadonlySet<UserId>;
}

/** The rule of all readers: whether a viewer may see a tweet. A retweet is asked for by itself and by its original. */
function maySee(tweet: Judged, { viewer, author, relationTo, follows }: Facts): boolean {
  if (author === undefined || isHiddenFrom(viewer, author, relationTo)) return false;
  if (author.id === viewer?.id || isOpen(tweet, author)) return true;
  if (viewer === undefined) return false;
  if (mentionsOrAnswers(tweet, viewer.id)) return true;
  return effectiveAudience(tweet, author) === "followers" && follows.has(author.id);
}

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
  const closed = tweets.flatMap((tweet) => {
    const author = users.get(tweet.author);
    return author === undefined || author.id === viewer?.id || isOpen(tweet, author)
      ? []
      : [author.id];
  });
  const follows =
    viewer === undefined || closed.length === 0
      ? new Set<UserId>()
      : await followedAmong(ctx, viewer.id, closed);
  const isSeen = (tweet: Judged) =>
    maySee(tweet, { viewer, author: users.get(tweet.author), relationTo, follows });
  /** Whether it is hidden by its audience: then nothing tells that it exists, unlike beside a block. */
  const isClosed = (tweet: Judged) => {
    const author = users.get(tweet.author);
    return author !== undefined && !isOpen(tweet, author) && !isSeen(tweet);
  };
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
export async function isSeenBy(
  ctx: Ctx,
  viewer: Viewer | undefined,
  tweet: Tweet,
): Promise<boolean> {
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
export async function getSeen(
  ctx: Ctx,
  user: UserId,
  id: TweetId,
): Promise<{ tweet: Tweet; author: User }> {
  const named = await getKnown(ctx, user, id);
  const tweet = named.retweetOf ? await getKnown(ctx, user, named.retweetOf.tweet) : named;
  await requireNoBlock(ctx, user, tweet.author);
  const author = required(await findUser(ctx, tweet.author), "tweet");
  return { tweet, author };
}
