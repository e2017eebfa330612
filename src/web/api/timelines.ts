import { type Request, Router } from "express";
import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { foldTag } from "../../domain/tweets/entities.ts";
import { globalFeed, homeFeed } from "../../domain/feeds/feeds.ts";
import { tagFeed } from "../../domain/search/find-tweets.ts";
import { optionalScope, requireScope } from "./bearer.ts";
import { flag, readInput } from "./input.ts";
import { pagingOf } from "./paging.ts";
import { nothing, sendTimeline } from "./send.ts";

const filters = z.object({ local: flag, remote: flag, only_media: flag });

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
    const page = isForOthers(req) ? nothing : await globalFeed(ctx, { viewer, ...paging });
    await sendTimeline(ctx, res, page);
  });

  router.get("/api/v1/timelines/tag/:tag", async (req, res) => {
    const viewer = optionalScope(res, "read:statuses");
    const paging = pagingOf(req);
    const tag = foldTag(req.params.tag);
    const isEmpty = tag === undefined || isForOthers(req);
    const page = isEmpty ? nothing : await tagFeed(ctx, tag, { viewer, ...paging });
    await sendTimeline(ctx, res, page);
  });

  return router;
}

/** Tweets of other servers, or with pictures: there are none. */
function isForOthers(req: Request): boolean {
  const { remote, only_media: onlyMedia } = readInput(filters, req.query);
  return remote === true || onlyMedia === true;
}
