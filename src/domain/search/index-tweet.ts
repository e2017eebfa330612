import type { Ctx } from "../../context.ts";
import { addToIndex, type Indexed, removeFromIndex } from "./index.ts";
import { tagTerm, termsOf, unitsOf } from "./terms.ts";
import { forgetTags, noteTags } from "./trending.ts";
import { hashtagsIn } from "../tweets/entities.ts";
import { findTweet } from "../tweets/store.ts";
import type { Tweet } from "../tweets/tweet.ts";

/** The terms of a tweet; a retweet has no text, and so no terms. */
export function indexedAs({ id, author, text }: Tweet): Indexed {
  const terms = [...termsOf(unitsOf(text)), ...hashtagsIn(text).map(tagTerm)];
  return { tweet: id, author, terms };
}

/** The last step of a delivery: makes the tweet searchable. May run twice. */
export async function indexTweet(ctx: Ctx, tweet: Tweet): Promise<void> {
  const indexed = indexedAs(tweet);
  await addToIndex(ctx, indexed, tweet.createdAt);
  await noteTags(ctx, indexed, tweet.createdAt);
}

/** Removes a deleted tweet from the search. May run twice. */
export async function unindexTweet(ctx: Ctx, indexed: Indexed): Promise<void> {
  await removeFromIndex(ctx, indexed);
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
