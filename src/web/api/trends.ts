import { z } from "zod";
import { NotFound } from "../../domain/errors.ts";
import { trendingTags } from "../../domain/search/trending.ts";
import { foldTag } from "../../domain/tweets/text.ts";
import { siteOrigin } from "../send-public.ts";
import { type Endpoint, endpoint, knows, many, one } from "./endpoint.ts";
import { tagEntity } from "./entities/tag.ts";
import { count } from "./input.ts";
import { limited } from "./paging.ts";

const daySeconds = 24 * 60 * 60;
const part = z.object({ limit: limited({ usual: 10, most: 20 }), offset: count });

/** Hashtags: those that many people use, and single ones. */
export const trendEndpoints: readonly Endpoint[] = [
  ...["/api/v1/trends", "/api/v1/trends/tags"].map((path) =>
    endpoint({
      method: "get",
      path,
      summary: "Hashtags that many people use",
      access: "anybody",
      query: part,
      answer: many("Tag"),
      async handle({ ctx, req, res, query: { limit, offset = 0 } }) {
        const site = siteOrigin(ctx, req);
        const trends = (await trendingTags(ctx)).slice(offset, offset + limit);
        const day = dayOf(ctx.now());
        res.json(trends.map(({ tag, people }) => tagEntity(site, tag, { people, day })));
      },
    }),
  ),
  endpoint({
    method: "get",
    path: "/api/v1/tags/{tag}",
    summary: "A hashtag",
    access: knows("read:statuses", "read:accounts", "read:follows"),
    answer: one("Tag"),
    handle({ ctx, req, res }) {
      const tag = foldTag(String(req.params["tag"]));
      if (tag === undefined) throw new NotFound("tag");
      res.json(tagEntity(siteOrigin(ctx, req), tag));
    },
  }),
];

/** The seconds at which the day began; `now` in milliseconds. */
function dayOf(now: number): number {
  const seconds = Math.floor(now / 1000);
  return seconds - (seconds % daySeconds);
}
