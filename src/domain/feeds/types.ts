import type { TweetId, UserId } from "../ids.ts";
import type { Entry, Range } from "../page.ts";
import type { Stamp } from "../stamp.ts";
import type { Viewer } from "../graph/relations.ts";
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
}

/** The ids of a feed, and its repair. */
export interface Source {
  /** At least `limit` entries, in reading order, unless there are no more. */
  read(range: Range): Promise<Entry[]>;
  /** Tells which items belong here; default: all. */
  allowed?(items: FeedItem[]): Promise<(item: FeedItem) => boolean>;
  /** Removes ids that are gone or do not belong here; a repair, so nothing depends on it. */
  heal?(ids: TweetId[]): Promise<void>;
  /** Leaves out a retweet that is close to its original. */
  dropsRepeats?: boolean;
}

/** The part of a feed to read; bounds are exclusive. */
export interface FeedRange {
  before?: Stamp | undefined;
  /** Only items newer than this; the newest first. */
  after?: Stamp | undefined;
  /** The items just newer than this, even if there are more above them. */
  from?: Stamp | undefined;
  /** Max items; default: one page. */
  limit?: number | undefined;
}

export interface View extends FeedRange {
  viewer: Viewer | undefined;
  /** This author's tweets are shown even if the viewer has muted the author: for the author's own page. */
  evenMuted?: UserId;
  /** Tells which of the visible items to keep; default: all. */
  only?: ((item: FeedItem) => boolean) | undefined;
}
