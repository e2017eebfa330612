import type { Ctx } from "../../context.ts";
import type { TweetId, UserId } from "../ids.ts";
import { findAuthors, recallTweets } from "../tweets/store.ts";
import type { Tweet } from "../tweets/tweet.ts";
import { findUsers, type User } from "../users/store.ts";
import type { Subject } from "./subject.ts";

/** Current data of subjects, hidden from others or not. */
export interface SubjectFacts {
  tweets: ReadonlyMap<TweetId, Tweet>;
  /** The author of each tweet, including deleted tweets. */
  authors: ReadonlyMap<TweetId, UserId>;
  users: ReadonlyMap<UserId, User>;
}

/** About some subjects and some other users, in at most three round trips. */
export async function lookInto(
  ctx: Ctx,
  subjects: Subject[],
  others: Iterable<UserId>,
): Promise<SubjectFacts> {
  const ids = subjects.flatMap((one) => (one.kind === "tweet" ? [one.tweet] : []));
  const [found, authors] = await Promise.all([
    recallTweets(
      ctx,
      ids.map((id) => ({ id })),
    ),
    findAuthors(ctx, ids),
  ]);
  const tweets = new Map<TweetId, Tweet>();
  for (const tweet of found) if (tweet !== undefined) tweets.set(tweet.id, tweet);
  const persons = subjects.flatMap((one) => (one.kind === "person" ? [one.person] : []));
  const users = await findUsers(ctx, [...authors.values(), ...persons, ...others]);
  return { tweets, authors, users };
}
