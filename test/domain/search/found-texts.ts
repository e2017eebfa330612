import type { Ctx } from "../../../src/context.ts";
import type { TweetId, UserId } from "../../../src/domain/ids.ts";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import {
  findTweets,
  type AuthorFilter,
  parseQuery,
} from "../../../src/domain/search/find-tweets.ts";
import { indexedAs, unindexIfGone } from "../../../src/domain/search/index-tweet.ts";
import { getTweet } from "../../../src/domain/tweets/store.ts";
import { getViewer, readAll } from "../../support/actors/people.ts";

/** The texts of all that a search finds, page by page to its end, newest first. */
export async function findTexts(
  ctx: Ctx,
  typed: string,
  { viewer, whose }: { viewer?: UserId; whose?: AuthorFilter } = {},
): Promise<string[]> {
  const looking = viewer === undefined ? undefined : await getViewer(ctx, viewer);
  const items = await readAll((before) =>
    findTweets(ctx, parseQuery(typed), { viewer: looking, before }, whose),
  );
  return items.map(({ tweet }) => tweet.text);
}

/** Deletes a tweet, and runs the chore that this promised. */
export async function removeTweet(ctx: Ctx, id: TweetId): Promise<void> {
  const tweet = await getTweet(ctx, id);
  await deleteTweet(ctx, tweet.author, id);
  await unindexIfGone(ctx, indexedAs(tweet));
}
