import { Router } from "express";
import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { NotFound } from "../../domain/errors.ts";
import { trendingTags } from "../../domain/search/trending.ts";
import { foldTag } from "../../domain/tweets/entities.ts";
import { siteOrigin } from "../send-public.ts";
import { optionalScope } from "./bearer.ts";
import { tagEntity } from "./entities/tag.ts";
import { count, readInput } from "./input.ts";
import { limited } from "./paging.ts";

const daySeconds = 24 * 60 * 60;
const part = z.object({ limit: limited({ usual: 10, most: 20 }), offset: count });

/** Hashtags: those that many people use, and single ones. */
export function trendsApi(ctx: Ctx): Router {
  const router = Router();

  for (const door of ["/api/v1/trends", "/api/v1/trends/tags"])
    router.get(door, async (req, res) => {
      const { limit, offset = 0 } = readInput(part, req.query);
      const site = siteOrigin(ctx, req);
      const trends = (await trendingTags(ctx)).slice(offset, offset + limit);
      const day = dayOf(ctx.now());
      res.json(trends.map(({ tag, people }) => tagEntity(site, tag, { people, day })));
    });

  router.get("/api/v1/tags/:tag", (req, res) => {
    optionalScope(res, "read:accounts", "read:follows", "read:statuses");
    const tag = foldTag(req.params.tag);
    if (tag === undefined) throw new NotFound("tag");
    res.json(tagEntity(siteOrigin(ctx, req), tag));
  });

  return router;
}

/** The seconds at which the day began; `now` in milliseconds. */
function dayOf(now: number): number {
  const seconds = Math.floor(now / 1000);
  return seconds - (seconds % daySeconds);
}
