import type { Ctx } from "../../context.ts";
import type { TweetId, UserId, Stamp } from "../ids.ts";
import type { FilterContext } from "../graph/filters.ts";
import type { Viewer } from "../graph/relations.ts";
import type { Entry, ListRange, Page, Range } from "../page.ts";
import type { Tweet } from "../tweets/tweet.ts";

/** An item of a list of tweets. */
export interface FeedItem {
  /** The tweet that is shown. */
  tweet: Tweet;
  /** The retweet that brought it here. */
  retweet: Tweet | undefined;
  /** The quoted tweet, if it exists and the viewer may see it. */
  quote: Tweet | undefined;
  /** When it was listed: stamp of the retweet, if there is one. */
  stamp: Stamp;
  /** Titles of the filters that fold the tweet for the viewer; missing if there are none. */
  warnings?: readonly string[];
}

export type FeedPage = Page<FeedItem>;

/** The item of each entry; undefined where there is none to be shown. */
export type MakeItems = (entries: Entry[]) => Promise<(FeedItem | undefined)[]>;

/** The items of one feed and one reader, on a page that may be made again; see kept-list.ts. */
export interface KeptItems {
  /** `make` makes the items that are missing, in order. */
  items(ctx: Ctx, entries: Entry[], make: MakeItems): ReturnType<MakeItems>;
}

/** A part of a feed, of a page that may be made again. */
export interface FeedPart extends ListRange {
  kept?: KeptItems | undefined;
}

/** The ids of a feed, and its repair. */
export interface FeedSource {
  /** At least `limit` entries, in reading order, unless there are no more. */
  read(range: Range): Promise<Entry[]>;
  /** Whether reading has cost enough for one page: it ends here, and may be short. Default: after some rounds. */
  isSpent?(): boolean;
  /** Whether a tweet, or a retweet's original, is what was asked for: the others cost no further look. Default: all. */
  matches?(item: FeedItem): boolean;
  /** Tells which items belong here; default: all. */
  allowed?(items: FeedItem[]): Promise<(item: FeedItem) => boolean>;
  /** Tells which items its reader wants; the others stay in the list. Default: all. */
  wanted?(items: FeedItem[]): Promise<(item: FeedItem) => boolean>;
  /** Removes ids that are gone or do not belong here; a repair, so nothing depends on it. */
  heal?(ids: TweetId[]): Promise<void>;
  /** Leaves out a retweet that is close to its original. */
  dropsRepeats?: boolean;
}

/** How mutes and filters of the viewer count. */
export interface VisibilityOptions {
  /** Mutes of this author do not count, as on the author's own page. "everything": no mute or filter hides it. */
  includeMuted?: UserId | "everything" | undefined;
  /** Where the viewer's filters see it. Default: public. */
  context?: FilterContext | undefined;
}

export interface FeedView extends FeedPart, VisibilityOptions {
  viewer: Viewer | undefined;
  /** Tells which of the visible items to keep; default: all. */
  only?: ((item: FeedItem) => boolean) | undefined;
}
