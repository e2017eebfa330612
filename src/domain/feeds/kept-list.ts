import type { Entry } from "../page.ts";
import { KeptParts } from "./kept-parts.ts";
import type { FeedItem } from "./types.ts";

/** An item and, in a word, what else its HTML depends on: its place in the list. */
export interface PlacedItem {
  item: FeedItem;
  place: string;
}

/** What a page keeps of its list between two times that it is made: of one feed and one reader. */
export class KeptList {
  /** The item of each entry; undefined where there is none that the reader may and wants to see. */
  readonly items = new KeptParts<Entry, FeedItem | undefined>(
    ({ id }) => id,
    (one, other) => one.stamp === other.stamp,
  );
  /** The HTML of each item; undefined for those of deleted authors. */
  readonly html = new KeptParts<PlacedItem, Buffer | undefined>(
    ({ item: { tweet, retweet }, place }) => `${place}${(retweet ?? tweet).id}`,
    (one, other) => one.item === other.item,
  );

  get bytes(): number {
    return this.items.bytes + this.html.bytes;
  }
}
