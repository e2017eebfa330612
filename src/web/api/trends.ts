import { z } from "zod";
import { NotFound } from "../../domain/errors.ts";
import { trendingTags } from "../../domain/search/trending.ts";
import { foldTag } from "../../domain/tweets/text.ts";
import { type Endpoint, endpoint, knows } from "./endpoint.ts";
import { Tag, tagEntity } from "./entities/tag.ts";
import { count } from "./input.ts";
import { limited } from "./paging.ts";

const daySeconds = 24 * 60 * 60;
const part = z.object({ limit: limited({ usual: 10, most: 20 }), offset: count });

/** Hashtags: those that many people use, and single ones. */
export const trendEndpoints: readonly Endpoint[] = [
  ...(["/api/v1/trends", "/api/v1/trends/tags"] as const).map((path) =>
    endpoint(`GET ${path}`, "Hashtags that many accounts use", {
      access: "anybody",
      query: part,
      answer: z.array(Tag),
      async handle({ ctx, site, query: { limit, offset = 0 } }) {
        const trends = (await trendingTags(ctx)).slice(offset, offset + limit);
        const seconds = Math.floor(ctx.now() / 1000);
        const day = seconds - (seconds % daySeconds);
        return trends.map(({ tag, people }) => tagEntity(site, tag, { people, day }));
      },
    }),
  ),
  endpoint("GET /api/v1/tags/{tag}", "A hashtag", {
    access: knows("read:statuses", "read:accounts", "read:follows"),
    answer: Tag,
    handle({ site, params }) {
      const tag = foldTag(params.tag);
      if (tag === undefined) throw new NotFound("tag");
      return tagEntity(site, tag);
    },
  }),
];
