import type { Ctx } from "../../context.ts";
import type { TweetId } from "../ids.ts";
import type { Viewer } from "../users/relations.ts";
import { learnDeletions } from "./deletions.ts";
import { type Listed, listTweets } from "./read-feed.ts";
import { sightOf } from "./sight.ts";
import { findTweet } from "./store.ts";

/** A tweet as a page of its own shows it; undefined if it is gone or not for the viewer to see. */
export async function findListed(
  ctx: Ctx,
  viewer: Viewer | undefined,
  id: TweetId,
): Promise<Listed | undefined> {
  const tweet = await findTweet(ctx, id);
  if (tweet === undefined) return undefined;
  const entry = { id, stamp: tweet.createdAt };
  const [item] = await listTweets(ctx, [entry], await learnDeletions(ctx));
  if (item === undefined) return undefined;
  const isSeen = await sightOf(ctx, viewer, [item], item.tweet.author);
  return isSeen(item) ? item : undefined;
}
