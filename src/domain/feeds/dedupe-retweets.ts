import type { TweetId } from "../ids.ts";
import type { FeedItem } from "./types.ts";

/** Max distance of a repeat in items; Mastodon uses the same number. */
export const near = 40;

/**
 * Leaves out each retweet whose original, or an earlier retweet of it, is among the `near` next older items.
 * Only older items decide, so new items never change the rest of a list. Unless the list is at its end, stops
 * before the first retweet that the items cannot decide yet.
 */
export function withoutRepeats(items: FeedItem[], isEnd: boolean): FeedItem[] {
  const kept: FeedItem[] = [];
  for (const [index, item] of items.entries()) {
    if (item.retweet !== undefined) {
      if (isAmong(items, index + 1, item.tweet.id)) continue;
      if (!isEnd && index + near >= items.length) break;
    }
    kept.push(item);
  }
  return kept;
}

function isAmong(items: FeedItem[], start: number, original: TweetId): boolean {
  for (let index = start; index < start + near && index < items.length; index += 1)
    if (items[index]?.tweet.id === original) return true;
  return false;
}
