import type { Ctx } from "../../context.ts";
import { addToIndex, type Indexed, removeFromIndex } from "./index.ts";
import { tagTerm, termsOf, unitsOf } from "./terms.ts";
import { forgetTags, noteTags } from "./trending.ts";
import { hashtagsIn } from "../tweets/entities.ts";
import { findTweet } from "../tweets/store.ts";
import type { Tweet } from "../tweets/tweet.ts";

/** What a tweet is found by; a retweet has no text of its own and is found by nothing. */
export function indexedAs({ id, author, text }: Tweet): Indexed {
  const terms = [...termsOf(unitsOf(text)), ...hashtagsIn(text).map(tagTerm)];
  return { tweet: id, author, terms };
}

/** The last step of a delivery: from now on the tweet is found. May run twice. */
export async function indexTweet(ctx: Ctx, tweet: Tweet): Promise<void> {
  const indexed = indexedAs(tweet);
  await addToIndex(ctx, indexed, tweet.createdAt);
  await noteTags(ctx, indexed, tweet.createdAt);
}

/** Takes out a tweet that is gone. May run twice. */
export async function unindexTweet(ctx: Ctx, indexed: Indexed): Promise<void> {
  await removeFromIndex(ctx, indexed);
  await forgetTags(ctx, indexed);
}

/** Before a tweet loses its text, as nobody could tell its terms any more after that. */
export async function promiseUnindexing(ctx: Ctx, tweet: Tweet): Promise<void> {
  const indexed = indexedAs(tweet);
  if (indexed.terms.length > 0) await ctx.jobs.chore("unindex-tweet", indexed, "later");
}

/** The chore promised above. Should the deletion have failed, the tweet is there and stays. */
export async function unindexIfGone(ctx: Ctx, indexed: Indexed): Promise<void> {
  if ((await findTweet(ctx, indexed.tweet)) === undefined) await unindexTweet(ctx, indexed);
}
