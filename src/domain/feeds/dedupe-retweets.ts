import type { TweetId } from "../ids.ts";
import type { FeedItem } from "./types.ts";

/** Mastodon's figure: whoever has seen the original among so many tweets need not see it again. */
export const near = 40;

/**
 * Leaves out each retweet whose original, or an earlier retweet of it, is among the `near` items after
 * it, that is, older ones. So what stands in a list never changes because of what comes in above it.
 * Unless the list is at its end, stops before the first retweet about which the items do not tell yet.
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
