import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { findPinned } from "../../domain/actions/pin-tweet.ts";
import { hasPictures } from "../../domain/feeds/feed-items.ts";
import { globalFeed, homeFeed, repliesFeed, userFeed } from "../../domain/feeds/feeds.ts";
import type { FeedItem, FeedView } from "../../domain/feeds/types.ts";
import { relationsTo } from "../../domain/graph/relations.ts";
import type { Page } from "../../domain/page.ts";
import { findTweets, parseQuery, tagFeed } from "../../domain/search/find-tweets.ts";
import { foldTag } from "../../domain/tweets/text.ts";
import { foldName, type User } from "../../domain/users/store.ts";
import { getAccount } from "./account-param.ts";
import { type ApiRequest, type Endpoint, endpoint, knows, needs } from "./endpoint.ts";
import { Status } from "./entities/status.ts";
import { flag, text, texts } from "./input.ts";
import { emptyPage, statusesPage, statusPaging } from "./paging.ts";

const filters = statusPaging.extend({
  only_media: flag.describe("Only those with pictures."),
  local: flag.describe("All are local."),
  remote: flag.describe("Answers empty: all are local."),
});

/** Max further hashtags of each kind; Mastodon uses the same number. */
const tagsEach = 4;

const tagFilters = filters.extend({
  any: texts.describe("Up to four hashtags that stand for the tag as well."),
  all: texts.describe("Up to four hashtags that a status needs, too."),
  none: texts.describe("Up to four hashtags that a status must not have."),
});

const authorFilters = statusPaging.extend({
  only_media: filters.shape.only_media,
  exclude_replies: flag,
  exclude_reblogs: flag,
  pinned: flag,
  tagged: text,
});

/** Home, and timelines of all authors and of one. */
export const timelineEndpoints: readonly Endpoint[] = [
  endpoint("GET /api/v1/timelines/home", "Statuses of the user and of followed accounts", {
    access: needs("read:statuses"),
    query: statusPaging,
    answer: z.array(Status),
    handle: (request) =>
      statusesPage(request, (view) => homeFeed(request.ctx, request.viewer, view)),
  }),
  endpoint("GET /api/v1/timelines/public", "The newest statuses of all accounts", {
    access: knows("read:statuses"),
    query: filters,
    answer: z.array(Status),
    handle: (request) =>
      statusesPage(request, async (view) => {
        const { remote, only_media: onlyMedia } = request.query;
        if (remote === true) return emptyPage;
        return await globalFeed(request.ctx, {
          ...view,
          only: onlyMedia ? hasPictures : undefined,
        });
      }),
  }),
  endpoint("GET /api/v1/timelines/tag/{tag}", "Statuses with a hashtag", {
    access: knows("read:statuses"),
    query: tagFilters,
    answer: z.array(Status),
    handle: (request) =>
      statusesPage(request, async (part) => {
        const { remote, only_media: onlyMedia, any, all, none } = request.query;
        const tag = foldTag(request.params.tag);
        if (tag === undefined || remote === true) return emptyPage;
        const view = { ...part, only: onlyMedia ? hasPictures : undefined };
        const further = { any: foldAll(any), all: foldAll(all), none: foldAll(none) };
        return await tagFeed(request.ctx, tag, view, further);
      }),
  }),
  endpoint("GET /api/v1/accounts/{id}/statuses", "Statuses of an account", {
    access: knows("read:statuses"),
    query: authorFilters,
    answer: z.array(Status),
    async handle(request) {
      const { ctx, viewer, params } = request;
      const author = await getAccount(ctx, params.id);
      const { blocked } = (await relationsTo(ctx, viewer, [author.id]))(author.id);
      const isHidden = blocked && viewer?.id !== author.id;
      return await statusesPage(request, async (view) =>
        isHidden ? emptyPage : await readAuthor(request, author, view),
      );
    },
  }),
];

function foldAll(tags: readonly string[]): string[] {
  return tags.slice(0, tagsEach).flatMap((tag) => foldTag(tag) ?? []);
}

async function readAuthor(
  { ctx, query }: ApiRequest<User | undefined, z.output<typeof authorFilters>>,
  author: User,
  view: FeedView,
): Promise<Page<FeedItem>> {
  const { pinned, tagged = "", exclude_replies: withoutReplies, exclude_reblogs } = query;
  if (pinned === true) return await pinnedPage(ctx, author, view);
  const isMedia = (item: FeedItem) => query.only_media !== true || hasPictures(item);
  if (tagged === "") {
    const only = (item: FeedItem) =>
      isMedia(item) && (exclude_reblogs !== true || item.retweet === undefined);
    const feed = withoutReplies === true ? userFeed : repliesFeed;
    return await feed(ctx, author.id, { ...view, only });
  }
  const tag = foldTag(tagged);
  if (tag === undefined) return emptyPage;
  const terms = { ...parseQuery(""), tags: [tag], from: [foldName(author.name)] };
  const isNoReply = ({ tweet }: FeedItem) => (tweet.replyTo?.author ?? author.id) === author.id;
  const only = (item: FeedItem) => isMedia(item) && (withoutReplies !== true || isNoReply(item));
  return await findTweets(ctx, terms, { ...view, only });
}

/** At most one item, and no further page. */
async function pinnedPage(ctx: Ctx, author: User, view: FeedView): Promise<Page<FeedItem>> {
  const { viewer, before = Infinity, after = 0, from = 0 } = view;
  const item = await findPinned(ctx, viewer, author);
  const isWithin = item && item.stamp < before && item.stamp > Math.max(after, from);
  return isWithin === true ? { ...emptyPage, items: [item] } : emptyPage;
}
