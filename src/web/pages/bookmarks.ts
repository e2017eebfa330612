import { Router } from "express";
import type { Ctx } from "../../context.ts";
import { bookmarksFeed } from "../../domain/feeds/feeds.ts";
import { requireReader } from "../middleware/language.ts";
import { presentTweetList } from "../present/lists.ts";
import { renderTimeline } from "../render.ts";

/** The viewer's bookmarks. */
export function bookmarkPages(ctx: Ctx): Router {
  const router = Router();
  router.get("/bookmarks", async (_req, res) => {
    const reader = requireReader(res);
    const feed = await bookmarksFeed(ctx, reader.viewer.id, reader);
    renderTimeline(res, "bookmarks/index", {
      title: reader.words.t("nav.bookmarks"),
      ...(await presentTweetList(ctx, reader, "/bookmarks", feed, "bookmarks.empty")),
    });
  });
  return router;
}
