import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { findPinned } from "../../domain/actions/pin-tweet.ts";
import { repliesFeed, userFeed } from "../../domain/feeds/feeds.ts";
import { hasPictures } from "../../domain/feeds/feed-items.ts";
import type { FeedItem, FeedView } from "../../domain/feeds/types.ts";
import { relationsTo } from "../../domain/graph/relations.ts";
import type { Page } from "../../domain/page.ts";
import { findTweets, parseQuery } from "../../domain/search/find-tweets.ts";
import { foldTag } from "../../domain/tweets/text.ts";
import { foldName, type User } from "../../domain/users/store.ts";
import { getAccount } from "./account-param.ts";
import { type Endpoint, endpoint, knows } from "./endpoint.ts";
import { Status } from "./entities/status.ts";
import { flag, text } from "./input.ts";
import { emptyPage, statusPagingOf, statusesPage, statusPaging } from "./paging.ts";

const filters = statusPaging.extend({
  only_media: flag.describe("Only those with pictures."),
  exclude_replies: flag,
  exclude_reblogs: flag,
  pinned: flag,
  tagged: text,
});

type Filters = z.output<typeof filters>;

/** Statuses of one author. */
export const accountStatusEndpoints: readonly Endpoint[] = [
  endpoint("GET /api/v1/accounts/{id}/statuses", "Statuses of an account", {
    access: knows("read:statuses"),
    query: filters,
    answer: z.array(Status),
    async handle(request) {
      const { ctx, viewer, params, query } = request;
      const author = await getAccount(ctx, params.id);
      const { blocked } = (await relationsTo(ctx, viewer, [author.id]))(author.id);
      const view = { viewer, ...(await statusPagingOf(ctx, query)) };
      const isEmpty = blocked && viewer?.id !== author.id;
      const page = isEmpty ? emptyPage : await read(ctx, author, view, query);
      return await statusesPage(request, page);
    },
  }),
];

async function read(
  ctx: Ctx,
  author: User,
  view: FeedView,
  wanted: Filters,
): Promise<Page<FeedItem>> {
  if (wanted.pinned === true) return await pinnedPage(ctx, author, view);
  if (wanted.tagged !== undefined && wanted.tagged !== "")
    return await taggedPage(ctx, author, view, wanted);
  const feed = wanted.exclude_replies === true ? userFeed : repliesFeed;
  const only = (item: FeedItem) =>
    (wanted.exclude_reblogs !== true || item.retweet === undefined) &&
    (wanted.only_media !== true || hasPictures(item));
  return await feed(ctx, author.id, { ...view, only });
}

/** At most one item, and no further page. */
async function pinnedPage(ctx: Ctx, author: User, view: FeedView): Promise<Page<FeedItem>> {
  const item = await findPinned(ctx, view.viewer, author);
  return item !== undefined && isWithin(item, view) ? { ...emptyPage, items: [item] } : emptyPage;
}

function isWithin(
  { stamp }: FeedItem,
  { before = Infinity, after = 0, from = 0 }: FeedView,
): boolean {
  return stamp < before && stamp > Math.max(after, from);
}

async function taggedPage(
  ctx: Ctx,
  author: User,
  view: FeedView,
  { tagged = "", exclude_replies: withoutReplies, only_media: onlyMedia }: Filters,
): Promise<Page<FeedItem>> {
  const tag = foldTag(tagged);
  if (tag === undefined) return emptyPage;
  const query = { ...parseQuery(""), tags: [tag], from: [foldName(author.name)] };
  const isNoReply = ({ tweet }: FeedItem) => (tweet.replyTo?.author ?? author.id) === author.id;
  const only = (item: FeedItem) =>
    (withoutReplies !== true || isNoReply(item)) && (onlyMedia !== true || hasPictures(item));
  return await findTweets(ctx, query, { ...view, only });
}
