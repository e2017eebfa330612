import type { Ctx } from "../../../src/context.ts";
import { Invalid, NotFound } from "../../../src/domain/errors.ts";
import { type TweetId, tweetId, type UserId, type Stamp } from "../../../src/domain/ids.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { retweet } from "../../../src/domain/actions/retweet.ts";
import { findTweet } from "../../../src/domain/tweets/store.ts";
import { keys } from "../../../src/redis/keys.ts";

/** A tweet in a model of timelines. */
export interface WrittenTweet {
  id: TweetId;
  author: UserId;
  stamp: Stamp;
  /** The user it answers. */
  answers: UserId | undefined;
  /** What it retweets. */
  original: WrittenTweet | undefined;
  deleted: boolean;
  /** How far its delivery got; undefined once that is complete. */
  progress: Stamp | undefined;
}

/** All tweets of a model. */
export class WrittenTweets {
  readonly tweets: WrittenTweet[] = [];
  private readonly answered = new Map<UserId, number>();

  /** Posts, in answer to `to` if that is given; undefined if it was refused, as that is gone. */
  async post(ctx: Ctx, author: UserId, to?: WrittenTweet): Promise<WrittenTweet | undefined> {
    const answered = to?.original ?? to;
    if (answered !== undefined && !this.mayAnswer(ctx, author, answered.author)) return undefined;
    const input = { text: "…", replyTo: to?.id };
    const id = await refusedIf(() => isGone(to), postTweet(ctx, author, input));
    return id === undefined ? undefined : await this.note(ctx, id);
  }

  /** Undefined if the tweet is gone, or the retweet is by now. */
  async retweet(ctx: Ctx, user: UserId, tweet: WrittenTweet): Promise<WrittenTweet | undefined> {
    await refusedIf(() => isGone(tweet), retweet(ctx, user, tweet.id));
    return await this.findRetweet(ctx, user, tweet.original ?? tweet);
  }

  /** The tweet that is a user's retweet now. */
  async findRetweet(
    ctx: Ctx,
    user: UserId,
    original: WrittenTweet,
  ): Promise<WrittenTweet | undefined> {
    const id = await ctx.redis.hget(keys.retweets(user), original.id);
    return id === null ? undefined : await this.note(ctx, tweetId(id), original);
  }

  /** Reads from Redis which of a retweet and its opposite at the same time came last. */
  async readRetweets(ctx: Ctx, people: UserId[]): Promise<void> {
    const standing = new Set<WrittenTweet | undefined>();
    for (const user of people)
      for (const tweet of this.tweets.filter(({ original }) => original === undefined))
        standing.add(await this.findRetweet(ctx, user, tweet));
    for (const tweet of this.tweets)
      if (tweet.original !== undefined) tweet.deleted = !standing.has(tweet);
  }

  /** All entries of a user's home timeline, and those that are shown. */
  homeOf(
    user: UserId,
    follows: (author: UserId) => boolean,
  ): { entries: TweetId[]; shown: TweetId[] } {
    const entries = this.entriesFor(user, follows);
    return { entries: idsOf(entries), shown: idsOf(withoutNear(entries)) };
  }

  /** Newest first. */
  private entriesFor(user: UserId, follows: (author: UserId) => boolean): WrittenTweet[] {
    const isKnown = (person: UserId) => person === user || follows(person);
    return this.tweets
      .filter((tweet) => !isGone(tweet) && isKnown(tweet.author))
      .filter(
        ({ author, answers }) =>
          author === user || answers === undefined || answers === author || isKnown(answers),
      )
      .toSorted((one, other) => other.stamp - one.stamp);
  }

  isGone(id: string): boolean {
    return this.tweets.some((tweet) => tweet.id === id && isGone(tweet));
  }

  /** A follow brings in at most a timeline's worth of replies; the model has no such bound. */
  private mayAnswer(ctx: Ctx, author: UserId, person: UserId): boolean {
    if (author === person) return true;
    const count = this.answered.get(person) ?? 0;
    if (count >= ctx.config.timelineCap) return false;
    this.answered.set(person, count + 1);
    return true;
  }

  private async note(
    ctx: Ctx,
    id: TweetId,
    original?: WrittenTweet,
  ): Promise<WrittenTweet | undefined> {
    const tweet = await findTweet(ctx, id);
    const known = this.tweets.find((one) => one.id === id);
    if (tweet === undefined || known !== undefined) return known;
    const { author, createdAt: stamp, replyTo } = tweet;
    const answers = replyTo?.author;
    const written = { id, author, stamp, answers, original, deleted: false, progress: 0 };
    this.tweets.push(written);
    return written;
  }
}

/** Leaves out retweets of tweets that are among the next 40 as well. */
function withoutNear(entries: WrittenTweet[]): WrittenTweet[] {
  const shownIn = ({ id, original }: WrittenTweet) => original?.id ?? id;
  return entries.filter((entry, index) => {
    const next = entries.slice(index + 1, index + 41).map(shownIn);
    return entry.original === undefined || !next.includes(shownIn(entry));
  });
}

function isGone(tweet: WrittenTweet | undefined): boolean {
  return tweet !== undefined && (tweet.deleted || tweet.original?.deleted === true);
}

/** Undefined if it was refused, which is allowed only if `reason` holds by then. */
export async function refusedIf<Result>(
  reason: () => boolean,
  doing: Promise<Result>,
): Promise<Result | undefined> {
  return await doing.catch((error: unknown) => {
    if (reason() && (error instanceof Invalid || error instanceof NotFound)) return undefined;
    throw error;
  });
}

function idsOf(tweets: WrittenTweet[]): TweetId[] {
  return tweets.map((tweet) => tweet.id);
}
