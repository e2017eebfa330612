import type { Ctx } from "../../context.ts";
import { mutedWordMatcher } from "../graph/muted-words.ts";
import { isHiddenFrom, relationsTo, type Viewer } from "../graph/relations.ts";
import type { UserId } from "../ids.ts";
import type { Entry } from "../page.ts";
import type { Tweet } from "../tweets/tweet.ts";
import { findUsers } from "../users/store.ts";
import { hydrate } from "./hydrate.ts";
import type { FeedItem } from "./types.ts";

/**
 * The items that the viewer (undefined: signed out) may and wants to see. Leaves out items by, or retweeted
 * by, a user who is hidden from the viewer (see hiddenFrom) or muted, and tweets of others with a muted word.
 * Removes such quotes from the items. `evenMuted`: mutes of this author do not count. "everything": no mutes
 * count, as for a single tweet that was asked for.
 */
export async function visibleItems(
  ctx: Ctx,
  viewer: Viewer | undefined,
  items: FeedItem[],
  evenMuted?: UserId | "everything",
): Promise<FeedItem[]> {
  if (items.length === 0) return items;
  const people = new Set(items.flatMap(peopleIn));
  const [users, relationTo, hasMutedWord] = await Promise.all([
    findUsers(ctx, people),
    relationsTo(ctx, viewer, people),
    viewer === undefined ? neverMuted : mutedWordMatcher(ctx, viewer),
  ]);
  const showsMuted = evenMuted === "everything";
  const isHidden = (author: UserId) => {
    if (isHiddenFrom(viewer, users.get(author), relationTo)) return true;
    if (author === viewer?.id || showsMuted || author === evenMuted) return false;
    return relationTo(author).muted;
  };
  const isVisible = ({ author, text }: Tweet) =>
    !isHidden(author) && (author === viewer?.id || showsMuted || !hasMutedWord(text));
  return items
    .filter(({ tweet, retweet }) => isVisible(tweet) && !(retweet && isHidden(retweet.author)))
    .map((item) =>
      item.quote === undefined || isVisible(item.quote) ? item : { ...item, quote: undefined },
    );
}

/** The feed items of these entries that the viewer may and wants to see, in the same order. */
export async function readVisibleItems(
  ctx: Ctx,
  viewer: Viewer | undefined,
  entries: Entry[],
  evenMuted?: UserId | "everything",
): Promise<FeedItem[]> {
  const { items } = await hydrate(ctx, entries);
  return await visibleItems(ctx, viewer, items, evenMuted);
}

const neverMuted = () => false;

/** Includes mentioned users: reading them here caches them for the page. */
function peopleIn({ tweet, retweet, quote }: FeedItem): UserId[] {
  const people = [tweet.author];
  if (retweet !== undefined) people.push(retweet.author);
  if (quote !== undefined) people.push(quote.author);
  if (tweet.replyTo !== undefined) people.push(tweet.replyTo.author);
  return people;
}
