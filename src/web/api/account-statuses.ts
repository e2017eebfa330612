import type { z } from "zod";
import type { Ctx } from "../../context.ts";
import type { Page } from "../../domain/page.ts";
import { foldTag } from "../../domain/tweets/text.ts";
import { repliesFeed, userFeed } from "../../domain/feeds/feeds.ts";
import { findTweets } from "../../domain/search/find-tweets.ts";
import { findPinned } from "../../domain/actions/pin-tweet.ts";
import type { FeedItem, FeedView } from "../../domain/feeds/types.ts";
import { foldName, type User } from "../../domain/users/store.ts";
import { relationsTo } from "../../domain/graph/relations.ts";
import { type Endpoint, endpoint, knows, many } from "./endpoint.ts";
import { flag, text } from "./input.ts";
import { pagingOf, statusPaging } from "./paging.ts";
import { personOf } from "./account-param.ts";
import { nothing, sendTimeline } from "./send.ts";

const filters = statusPaging.extend({
  only_media: flag.describe("Answers empty: there is none."),
  exclude_replies: flag,
  exclude_reblogs: flag,
  pinned: flag,
  tagged: text,
});

type Filters = z.output<typeof filters>;

/** What one user wrote. */
export const accountStatusEndpoints: readonly Endpoint[] = [
  endpoint({
    method: "get",
    path: "/api/v1/accounts/{id}/statuses",
    summary: "Statuses of an account",
    access: knows("read:statuses"),
    query: filters,
    answer: many("Status"),
    paged: true,
    async handle({ ctx, req, res, viewer, query }) {
      const author = await personOf(ctx, req);
      const { blocked } = (await relationsTo(ctx, viewer, [author.id]))(author.id);
      const view = { viewer, ...pagingOf(query) };
      const isEmpty = query.only_media === true || (blocked && viewer?.id !== author.id);
      await sendTimeline(ctx, res, isEmpty ? nothing : await read(ctx, author, view, query));
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
  return await feed(ctx, author.id, {
    ...view,
    only: wanted.exclude_reblogs === true ? isOwn : undefined,
  });
}

const isOwn = ({ retweet }: FeedItem) => retweet === undefined;

/** One at the most, which leads to no further page. */
async function pinnedPage(ctx: Ctx, author: User, view: FeedView): Promise<Page<FeedItem>> {
  const item = await findPinned(ctx, view.viewer, author);
  return item !== undefined && isWithin(item, view) ? { ...nothing, items: [item] } : nothing;
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
  { tagged = "", exclude_replies: withoutReplies }: Filters,
): Promise<Page<FeedItem>> {
  const tag = foldTag(tagged);
  if (tag === undefined) return nothing;
  const query = { words: [], runs: [], tags: [tag], from: [foldName(author.name)] };
  const isNoReply = ({ tweet }: FeedItem) => (tweet.replyTo?.author ?? author.id) === author.id;
  const only = withoutReplies === true ? isNoReply : undefined;
  return await findTweets(ctx, query, { ...view, only });
}
