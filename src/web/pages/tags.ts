import { type Request, Router } from "express";
import type { Ctx } from "../../context.ts";
import { NotFound } from "../../domain/errors.ts";
import { followTag, isFollowedBy, unfollowTag } from "../../domain/graph/followed-tags.ts";
import { foldTag } from "../../domain/tweets/text.ts";
import { tagFeed } from "../../domain/search/tag-feed.ts";
import { nextOf } from "../forms/safe-redirect.ts";
import { readerOf } from "../middleware/language.ts";
import { limitAct } from "../middleware/limits.ts";
import { requireViewer } from "../middleware/session.ts";
import { presentTweetList } from "../present/lists.ts";
import { presentFollowTag, tagUrl } from "../present/tags.ts";
import { renderTimeline } from "../render.ts";

/** Public page with the newest tweets of a hashtag, which users can follow. */
export function tagPages(ctx: Ctx): Router {
  const router = Router();
  router.get("/tags/:tag", async (req, res) => {
    const tag = tagIn(req);
    const reader = readerOf(res);
    const feed = await tagFeed(ctx, tag, reader);
    const empty = reader.before === undefined ? "tag.empty" : "tag.emptyOlder";
    const list = await presentTweetList(ctx, reader, tagUrl(tag), feed, empty);
    const isFollowed = (await isFollowedBy(ctx, reader.viewer?.id))(tag);
    const follow = presentFollowTag(reader.words, tag, isFollowed);
    renderTimeline(res, "tags/show", { title: `#${tag}`, tag, follow, ...list });
  });
  router.post("/tags/:tag/follow", limitAct(ctx, "follows"), async (req, res) => {
    const tag = tagIn(req);
    await followTag(ctx, requireViewer(res).id, tag);
    res.redirect(303, nextOf(req) ?? tagUrl(tag));
  });
  router.post("/tags/:tag/unfollow", async (req, res) => {
    const tag = tagIn(req);
    await unfollowTag(ctx, requireViewer(res).id, tag);
    res.redirect(303, nextOf(req) ?? tagUrl(tag));
  });
  return router;
}

/** Throws NotFound. */
function tagIn(req: Request): string {
  const tag = foldTag(String(req.params["tag"]));
  if (tag === undefined) throw new NotFound("tag");
  return tag;
}
