import { Router } from "express";
import type { Ctx } from "../../context.ts";
import { foldTag } from "../../domain/tweets/entities.ts";
import { globalFeed, homeFeed } from "../../domain/tweets/feeds.ts";
import { tagFeed } from "../../domain/tweets/find.ts";
import { isYes } from "./flags.ts";
import { optionalScope, requireScope } from "./bearer.ts";
import { pagingOf } from "./paging.ts";
import { nothing, sendTimeline } from "./send.ts";

/** Timelines that are not one person's. */
export function timelinesApi(ctx: Ctx): Router {
  const router = Router();

  router.get("/api/v1/timelines/home", async (req, res) => {
    const viewer = requireScope(res, "read:statuses");
    await sendTimeline(ctx, res, await homeFeed(ctx, viewer, pagingOf(req)));
  });

  router.get("/api/v1/timelines/public", async (req, res) => {
    const viewer = optionalScope(res, "read:statuses");
    const paging = pagingOf(req);
    // There are no other servers, and no pictures in tweets.
    const isEmpty = isYes(req.query["remote"]) || isYes(req.query["only_media"]);
    const page = isEmpty ? nothing : await globalFeed(ctx, { viewer, ...paging });
    await sendTimeline(ctx, res, page);
  });

  router.get("/api/v1/timelines/tag/:tag", async (req, res) => {
    const viewer = optionalScope(res, "read:statuses");
    const paging = pagingOf(req);
    const tag = foldTag(req.params.tag);
    const isEmpty = isYes(req.query["remote"]) || isYes(req.query["only_media"]);
    const page =
      tag === undefined || isEmpty ? nothing : await tagFeed(ctx, tag, { viewer, ...paging });
    await sendTimeline(ctx, res, page);
  });

  return router;
}
