import { Router } from "express";
import { z } from "zod";
import type { Ctx } from "../../context.ts";
import type { Page } from "../../domain/page.ts";
import { foldTag } from "../../domain/tweets/entities.ts";
import { repliesFeed, userFeed } from "../../domain/feeds/feeds.ts";
import { findTweets } from "../../domain/search/find-tweets.ts";
import { findPinned } from "../../domain/actions/pin-tweet.ts";
import type { FeedItem, View } from "../../domain/feeds/types.ts";
import { foldName } from "../../domain/users/names.ts";
import { relationsTo } from "../../domain/graph/relations.ts";
import type { User } from "../../domain/users/store.ts";
import { optionalScope } from "./bearer.ts";
import { flag, readInput, text } from "./input.ts";
import { pagingOf } from "./paging.ts";
import { personOf } from "./account-param.ts";
import { nothing, sendTimeline } from "./send.ts";

const filters = z.object({
  exclude_replies: flag,
  exclude_reblogs: flag,
  only_media: flag,
  pinned: flag,
  tagged: text,
});

type Filters = z.infer<typeof filters>;

/** What one person wrote. */
export function accountStatusesApi(ctx: Ctx): Router {
  const router = Router();
  router.get("/api/v1/accounts/:id/statuses", async (req, res) => {
    const viewer = optionalScope(res, "read:statuses");
    const paging = pagingOf(req);
    const wanted = readInput(filters, req.query);
    const author = await personOf(ctx, req);
    const { blocked } = (await relationsTo(ctx, viewer, [author.id]))(author.id);
    const view = { viewer, ...paging };
    const isEmpty = wanted.only_media === true || (blocked && viewer?.id !== author.id);
    await sendTimeline(ctx, res, isEmpty ? nothing : await read(ctx, author, view, wanted));
  });
  return router;
}

async function read(ctx: Ctx, author: User, view: View, wanted: Filters): Promise<Page<FeedItem>> {
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
async function pinnedPage(ctx: Ctx, author: User, view: View): Promise<Page<FeedItem>> {
  const item = await findPinned(ctx, view.viewer, author);
  return item !== undefined && isWithin(item, view) ? { ...nothing, items: [item] } : nothing;
}

function isWithin({ stamp }: FeedItem, { before = Infinity, after = 0, from = 0 }: View): boolean {
  return stamp < before && stamp > Math.max(after, from);
}

async function taggedPage(
  ctx: Ctx,
  author: User,
  view: View,
  { tagged = "", exclude_replies: withoutReplies }: Filters,
): Promise<Page<FeedItem>> {
  const tag = foldTag(tagged);
  if (tag === undefined) return nothing;
  const query = { words: [], runs: [], tags: [tag], from: [foldName(author.name)] };
  const isNoReply = ({ tweet }: FeedItem) => (tweet.replyTo?.author ?? author.id) === author.id;
  const only = withoutReplies === true ? isNoReply : undefined;
  return await findTweets(ctx, query, { ...view, only });
}
