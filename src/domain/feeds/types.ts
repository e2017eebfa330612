import type { TweetId, UserId } from "../ids.ts";
import type { Entry, Range } from "../page.ts";
import type { Stamp } from "../stamp.ts";
import type { Viewer } from "../graph/relations.ts";
import type { Tweet } from "../tweets/tweet.ts";

/** An item of a list of tweets. */
export interface FeedItem {
  /** What is shown. */
  tweet: Tweet;
  /** The retweet that brought it here. */
  retweet: Tweet | undefined;
  /** The tweet that it quotes, if that is still there and the viewer may see it. */
  quote: Tweet | undefined;
  /** When it was listed: of the retweet, if there is one. */
  stamp: Stamp;
}

/** Where the ids of a feed come from, and how it is repaired. */
export interface Source {
  /** At least `limit` entries, in the order of reading, unless there are no more. */
  read(range: Range): Promise<Entry[]>;
  /** Which of these belong here; default: all. */
  allowed?(items: FeedItem[]): Promise<(item: FeedItem) => boolean>;
  /** Removes ids that are gone for good or do not belong; a repair, so nothing depends on it. */
  heal?(ids: TweetId[]): Promise<void>;
  /** Leaves out a retweet that stands close to its original. */
  dropsRepeats?: boolean;
}

/** Which part of a list; bounds are exclusive. */
export interface Part {
  before?: Stamp | undefined;
  /** The newest that are newer than this. */
  after?: Stamp | undefined;
  /** Those just newer than this: however much is newer still, they come first. */
  from?: Stamp | undefined;
  /** Max items; default: a page of the site. */
  limit?: number | undefined;
}

export interface View extends Part {
  viewer: Viewer | undefined;
  /** This author's tweets are shown even if the viewer muted them: on the author's own page. */
  evenMuted?: UserId;
  /** Of what the viewer may see, which are asked for; default: all. */
  only?: ((item: FeedItem) => boolean) | undefined;
}
