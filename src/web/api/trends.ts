import { z } from "zod";
import { isFollowedBy } from "../../domain/graph/followed-tags.ts";
import { trendingTags } from "../../domain/search/trending.ts";
import { type Endpoint, endpoint, knows } from "./endpoint.ts";
import { Tag, tagEntity } from "./entities/tag.ts";
import { count } from "./input.ts";
import { limited } from "./paging.ts";

const daySeconds = 24 * 60 * 60;
const part = z.object({ limit: limited({ usual: 10, most: 20 }), offset: count });

/** Hashtags that many people use. */
export const trendEndpoints: readonly Endpoint[] = (
  ["/api/v1/trends", "/api/v1/trends/tags"] as const
).map((path) =>
  endpoint(`GET ${path}`, "Hashtags that many accounts use", {
    access: knows("read:statuses", "read:accounts", "read:follows"),
    query: part,
    answer: z.array(Tag),
    async handle({ ctx, site, viewer, query: { limit, offset = 0 } }) {
      const trends = (await trendingTags(ctx)).slice(offset, offset + limit);
      const isFollowed = await isFollowedBy(ctx, viewer?.id);
      const seconds = Math.floor(ctx.now() / 1000);
      const day = seconds - (seconds % daySeconds);
      return trends.map(({ tag, people }) =>
        tagEntity(site, tag, { following: isFollowed(tag), used: { people, day } }),
      );
    },
  }),
);
