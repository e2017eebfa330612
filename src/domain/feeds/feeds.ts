import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import {
  allFollowings,
  followedAmong,
  followedTags,
  withoutRetweetsAmong,
} from "../graph/follows.ts";
import type { Viewer } from "../graph/relations.ts";
import { type ListId, type TweetId, type UserId, type Stamp, stampAt } from "../ids.ts";
import type { Range } from "../page.ts";
import { homeEntries } from "../timelines/home.ts";
import { removeFromHome } from "../timelines/home-store.ts";
import { mergeUserTimelines } from "../timelines/merge.ts";
import { type DeletedTweet, removeFromTimelines, userEntries } from "../timelines/store.ts";
import { readTombstones } from "../tweets/store.ts";
import { hashtagsIn } from "../tweets/text.ts";
import { toTimelineTweet } from "../tweets/tweet.ts";
import { listSource, readFeed } from "./read-feed.ts";
import type { FeedItem, FeedPage, FeedPart, FeedSource, FeedView } from "./types.ts";
import { findList, membersAtMost, membersOfList } from "../graph/lists.ts";
import type { User } from "../users/store.ts";

/**
 * The newest tweets of the viewer and their followings; replies only between these users. And all tweets with a
 * hashtag that the viewer follows.
 */
export async function homeFeed(ctx: Ctx, viewer: Viewer, part: FeedPart = {}): Promise<FeedPage> {
  return await readFeed(ctx, { viewer, context: "home", ...part }, homeSource(ctx, viewer.id));
}

/** Stores that a user has read home up to `stamp`. It never goes back, nor beyond now. May run twice. */
export async function markHomeRead(ctx: Ctx, user: User, stamp: Stamp): Promise<void> {
  const mark = Math.min(stamp, stampAt(ctx.now(), "999"));
  if (mark > user.homeRead) await ctx.redis.raiseField(keys.user(user.id), "home_read", mark);
}

/** The newest item of home that was read, and is still there. */
export async function lastReadAtHome(ctx: Ctx, user: User): Promise<FeedItem | undefined> {
  if (user.homeRead === 0) return undefined;
  const { items } = await homeFeed(ctx, user, { before: user.homeRead + 1, limit: 1 });
  return items[0];
}

/** Number of items by others after the stamp `after`, on the first page of home. */
export async function countNewItems(ctx: Ctx, viewer: Viewer, after: Stamp): Promise<number> {
  return await countNewFrom(ctx, viewer, homeSource(ctx, viewer.id), after);
}

/** The same of another timeline that the viewer reads. */
async function countNewFrom(ctx: Ctx, viewer: Viewer, source: FeedSource, after: Stamp) {
  const view = { viewer, context: "home" } as const;
  const { items } = await readFeed(ctx, { ...view, after }, { ...source, dropsRepeats: false });
  // Only the whole page tells whether a retweet is a repeat.
  const hasRetweet = items.some(({ retweet }) => retweet !== undefined);
  const shown = hasRetweet ? (await readFeed(ctx, view, source)).items : items;
  return shown.filter((item) => item.stamp > after && timelineOwner(item) !== viewer.id).length;
}

function homeSource(ctx: Ctx, user: UserId): FeedSource {
  return {
    read: (range) => homeEntries(ctx, user, range),
    allowed: async (items) => {
      const [followed, isTagged] = await Promise.all([
        followedAmong(ctx, user, items.flatMap(concerned)),
        taggedFor(ctx, user),
      ]);
      followed.add(user);
      return (item) =>
        timelineOwner(item) === user ||
        concerned(item).every((person) => followed.has(person)) ||
        isTagged(item);
    },
    wanted: (items) => wantedRetweets(ctx, user, items),
    heal: (ids) => removeFromHome(ctx, user, ids),
    dropsRepeats: true,
  };
}

/** Tells which items have a hashtag that the reader follows. A retweet has none. */
async function taggedFor(ctx: Ctx, reader: UserId): Promise<(item: FeedItem) => boolean> {
  const tags = await followedTags(ctx, reader);
  if (tags.length === 0) return () => false;
  return ({ tweet, retweet }) =>
    retweet === undefined && hashtagsIn(tweet.text).some((tag) => tags.includes(tag));
}

/** Tells which items are no retweets by users whose retweets the reader does not want. */
async function wantedRetweets(ctx: Ctx, reader: UserId, items: FeedItem[]) {
  const retweeters = items.flatMap(({ retweet }) => retweet?.author ?? []);
  if (retweeters.length === 0) return () => true;
  const without = await withoutRetweetsAmong(ctx, reader, retweeters);
  return ({ retweet }: FeedItem) => retweet === undefined || !without.has(retweet.author);
}

/** The user whose timeline has the item: the retweeter or the author. */
function timelineOwner({ tweet, retweet }: FeedItem): UserId {
  return (retweet ?? tweet).author;
}

/** The users that a reader must follow to find the item at home: for a reply, both. */
function concerned({ tweet, retweet }: FeedItem): UserId[] {
  const { author, inReplyToUser } = toTimelineTweet(retweet ?? tweet);
  return inReplyToUser === undefined ? [author] : [author, inReplyToUser];
}

/** An author's tweets and retweets, without replies to others. */
export async function userFeed(ctx: Ctx, author: UserId, view: FeedView): Promise<FeedPage> {
  const read = async (range: Range) => mergeUserTimelines(ctx, [author], range, () => false);
  return await authorFeed(ctx, author, view, read);
}

/** All tweets and retweets of an author. */
export async function repliesFeed(ctx: Ctx, author: UserId, view: FeedView): Promise<FeedPage> {
  return await authorFeed(ctx, author, view, (range) => userEntries(ctx, author, range));
}

async function authorFeed(ctx: Ctx, author: UserId, view: FeedView, read: FeedSource["read"]) {
  const heal = async (ids: TweetId[]) => {
    const tombstones = await readTombstones(ctx, ids);
    // Without a tombstone only the author is known.
    const gone = ids.map((tweet, nth): DeletedTweet => {
      const tombstone = tombstones[nth];
      return tombstone === undefined ? { tweet, author } : toTimelineTweet(tombstone);
    });
    await removeFromTimelines(ctx, gone);
  };
  return await readFeed(ctx, { ...view, includeMuted: author, context: "account" }, { read, heal });
}

const feedOf =
  (list: (user: UserId) => string) =>
  async (ctx: Ctx, user: UserId, view: FeedView): Promise<FeedPage> =>
    await readFeed(ctx, view, listSource(ctx, list(user)));

/** The tweets liked by a user, newest like first. */
export const likesFeed = feedOf(keys.likes);

/** The user's bookmarks, newest first; for that user only. */
export const bookmarksFeed = feedOf(keys.bookmarks);

/** The newest tweets of all users, without replies and retweets. */
export async function globalFeed(ctx: Ctx, view: FeedView): Promise<FeedPage> {
  return await readFeed(ctx, view, listSource(ctx, keys.globalTimeline));
}

/** The newest tweets of the members of a list, for its owner; empty for a list that is gone. */
export async function listFeed(ctx: Ctx, owner: Viewer, list: ListId, part: FeedPart = {}) {
  const view = { viewer: owner, context: "home", ...part } as const;
  return await readFeed(ctx, view, await memberSource(ctx, owner.id, list));
}

/** Number of items by others after the stamp `after`, on the first page. */
export async function countNewInList(ctx: Ctx, owner: Viewer, list: ListId, after: Stamp) {
  return await countNewFrom(ctx, owner, await memberSource(ctx, owner.id, list), after);
}

/** Nothing is stored for it: each page is merged from the members' own timelines. */
async function memberSource(ctx: Ctx, owner: UserId, id: ListId): Promise<FeedSource> {
  const list = await findList(ctx, owner, id);
  const members = list === undefined ? [] : await membersOfList(ctx, owner, id);
  const answered = new Set([owner]);
  if (list?.replies === "list") for (const member of members) answered.add(member);
  if (list?.replies === "followed")
    for (const followee of await allFollowings(ctx, owner)) answered.add(followee);
  return {
    read: (range) =>
      mergeUserTimelines(ctx, members, range, (_, to) => answered.has(to), membersAtMost),
    wanted: (items) => wantedRetweets(ctx, owner, items),
    dropsRepeats: true,
  };
}
