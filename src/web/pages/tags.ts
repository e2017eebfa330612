import { Router } from "express";
import type { Ctx } from "../../context.ts";
import { NotFound } from "../../domain/errors.ts";
import { foldTag } from "../../domain/tweets/text.ts";
import { tagFeed } from "../../domain/search/tag-feed.ts";
import { readerOf } from "../middleware/language.ts";
import { presentTweetList } from "../present/lists.ts";
import { renderTimeline } from "../render.ts";

/** Public page with the newest tweets of a hashtag. */
export function tagPages(ctx: Ctx): Router {
  const router = Router();
  router.get("/tags/:tag", async (req, res) => {
    const tag = foldTag(req.params.tag);
    if (tag === undefined) throw new NotFound("tag");
    const reader = readerOf(res);
    const feed = await tagFeed(ctx, tag, reader);
    const path = `/tags/${encodeURIComponent(tag)}`;
    const empty = reader.before === undefined ? "tag.empty" : "tag.emptyOlder";
    const list = await presentTweetList(ctx, reader, path, feed, empty);
    renderTimeline(res, "tags/show", { title: `#${tag}`, tag, ...list });
  });
  return router;
}
