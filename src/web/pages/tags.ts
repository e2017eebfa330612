import { Router } from "express";
import type { Ctx } from "../../context.ts";
import { NotFound } from "../../domain/errors.ts";
import { foldTag } from "../../domain/tweets/text.ts";
import { tagFeed } from "../../domain/search/find-tweets.ts";
import { readerOf, wordsOf } from "../middleware/language.ts";
import { viewerOf } from "../middleware/session.ts";
import { presentPaging } from "../present/paging.ts";
import { presentSide } from "../present/side.ts";
import { presentTimeline } from "../present/timeline.ts";
import { renderTimeline } from "../render.ts";
import { beforeOf } from "./page-cursor.ts";

/** Public page with the newest tweets of a hashtag. */
export function tagPages(ctx: Ctx): Router {
  const router = Router();
  router.get("/tags/:tag", async (req, res) => {
    const tag = foldTag(req.params.tag);
    if (tag === undefined) throw new NotFound("tag");
    const viewer = viewerOf(res);
    const before = beforeOf(req);
    const isFirst = before === undefined;
    const feed = await tagFeed(ctx, tag, { viewer, before });
    const path = `/tags/${encodeURIComponent(tag)}`;
    renderTimeline(res, "tags/show", {
      page: { title: `#${tag} · Suzume`, path },
      tag,
      timeline: await presentTimeline(ctx, readerOf(res), feed.items),
      side: await presentSide(ctx, readerOf(res)),
      emptyMessage:
        feed.items.length === 0
          ? wordsOf(res).t(isFirst ? "tag.empty" : "tag.emptyOlder")
          : undefined,
      ...presentPaging(wordsOf(res), path, feed, isFirst),
    });
  });
  return router;
}
