import type { Ctx, PictureWork } from "../../context.ts";
import { execEach } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { required } from "../errors.ts";
import { type PeoplePage, readPeople } from "../graph/people-lists.ts";
import type { Viewer } from "../graph/relations.ts";
import type { TweetId } from "../ids.ts";
import { type Range, readPage } from "../page.ts";
import { mergeLists } from "../timelines/merge.ts";
import { recount, repliesOf } from "../tweets/reactions.ts";
import { findTombstone, recallTweets } from "../tweets/store.ts";
import type { Tweet } from "../tweets/tweet.ts";
import { historyOf } from "../tweets/versions.ts";
import { readFeed } from "./read-feed.ts";
import { readVisibleItems } from "./feed-items.ts";
import { sightOf } from "./sight.ts";
import type { FeedItem, FeedPage, FeedView, VisibilityOptions } from "./types.ts";

/** Max tweets shown above a tweet; each is a round trip. */
const ancestorsShown = 20;

/**
 * A single tweet as its own page shows it; undefined if it is gone or hidden from the viewer. The viewer's
 * mutes do not count, as they asked for this tweet.
 */
export async function findFeedItem(ctx: Ctx, viewer: Viewer | undefined, id: TweetId) {
  const [item] = await findFeedItems(ctx, viewer, [id]);
  return item;
}

/** As findFeedItem; throws NotFound where that is undefined. */
export async function getFeedItem(ctx: Ctx, viewer: Viewer | undefined, id: TweetId) {
  return required(await findFeedItem(ctx, viewer, id), "tweet");
}

/** As findFeedItem for many, without those that are gone or hidden. */
export async function findFeedItems(
  ctx: Ctx,
  viewer: Viewer | undefined,
  ids: TweetId[],
  muting: Pick<VisibilityOptions, "includeMuted"> = { includeMuted: "everything" },
): Promise<FeedItem[]> {
  const entries = ids.map((id) => ({ id, stamp: 0 }));
  const items = await readVisibleItems(ctx, viewer, entries, { ...muting, context: "thread" });
  return items.map((item) => ({ ...item, stamp: (item.retweet ?? item.tweet).createdAt }));
}

/** The versions of a tweet, newest first: someone who sees it only as it mentions them, those that do. */
export async function historyFor(ctx: Ctx, viewer: Viewer | undefined, tweet: Tweet) {
  const versions = await historyOf(ctx, tweet);
  const { isSeen } = await sightOf(ctx, viewer, [tweet]);
  return versions.filter(({ mentions }) => isSeen({ ...tweet, mentions }));
}

/** A tweet above another one; "gone" also stands for blocks and for what the viewer does not want to see. */
export type Ancestor = FeedItem | "gone" | "closed";

/**
 * The answered tweet, the tweet that it answers, and so on, topmost first. Ends at one that its audience hides from the
 * viewer: what that answers is hidden with it. `earlier`: the topmost shown tweet, if there are too many above: its page has those.
 */
export async function ancestorsOf(ctx: Ctx, viewer: Viewer | undefined, tweet: Tweet) {
  const items: Ancestor[] = [];
  let answer: Tweet | undefined = tweet;
  while (answer?.replyTo !== undefined && items.length < ancestorsShown) {
    const id: TweetId = answer.replyTo.tweet;
    // A tombstone keeps the audience of the tweet, and what it answered.
    const above = await findTombstone(ctx, id);
    const [item] = above === undefined ? [] : await findFeedItems(ctx, viewer, [id], {});
    const judged: Pick<Tweet, "author">[] = [above ?? answer.replyTo];
    const isClosed: boolean =
      item === undefined && (await sightOf(ctx, viewer, judged)).isAnswerClosed(answer, above);
    items.unshift(item ?? (isClosed ? "closed" : "gone"));
    answer = isClosed ? undefined : above;
  }
  const topmost = items.find((item) => typeof item !== "string");
  return { items, earlier: answer?.replyTo === undefined ? undefined : topmost?.tweet.id };
}

/** The replies to a tweet, newest first. */
export async function repliesTo(ctx: Ctx, id: TweetId, view: FeedView): Promise<FeedPage> {
  const lists = repliesOf(id);
  const heal = async (gone: TweetId[]) => {
    await execEach(ctx.redis, lists, (list) => ["zrem", list, ...gone]);
    await recount(ctx, id, "replies");
  };
  const read = async (range: Range) => mergeLists(ctx, lists, range);
  return await readFeed(ctx, { ...view, context: "thread" }, { read, heal });
}

/**
 * The users who liked or retweeted a tweet, without those hidden from the viewer, newest first. A retweet by a protected
 * account is for its followers.
 */
export async function peopleWhoReacted(
  ctx: Ctx,
  did: "likes" | "retweets",
  id: TweetId,
  view: FeedView,
): Promise<PeoplePage> {
  const key = did === "likes" ? keys.tweetLikes(id) : keys.tweetRetweets(id);
  const read = (range: Range) => readPage(ctx.redis, key, range);
  if (did === "likes") return await readPeople(ctx, view, read);
  return await readPeople(ctx, view, read, async (users) => {
    const retweets = users.map((author) => ({ author }));
    const { isSeen } = await sightOf(ctx, view.viewer, retweets);
    return (author) => !isSeen({ author });
  });
}

/** The tweet that shows a picture, or showed it before an edit; undefined for an upload that none shows. */
export async function tweetWith(ctx: Ctx, { user, upload }: PictureWork) {
  const id = await ctx.redis.hget(keys.pictures(user), upload);
  const [tweet] = id === null ? [] : await recallTweets(ctx, [{ id }]);
  return tweet;
}
