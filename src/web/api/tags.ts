import { z } from "zod";
import { required } from "../../domain/errors.ts";
import {
  followedTagsPage,
  followTag,
  isFollowedBy,
  unfollowTag,
} from "../../domain/graph/follows.ts";
import { trendingTags } from "../../domain/search/trending.ts";
import { foldTag } from "../../domain/tweets/text.ts";
import { type ApiRequest, type Endpoint, endpoint, knows, needs } from "./endpoint.ts";
import { address, entity } from "./entities/fields.ts";
import { count } from "./input.ts";
import { accountPaging, limited, linkHeader, pagingOf } from "./paging.ts";

export const Tag = entity("Tag", {
  id: z.string().describe("The name."),
  name: z.string(),
  url: address,
  history: z.array(z.strictObject({ day: z.string(), uses: z.string(), accounts: z.string() })),
  following: z.boolean(),
  featuring: z.literal(false),
});

const daySeconds = 24 * 60 * 60;
const reads = knows("read:statuses", "read:accounts", "read:follows");
const writes = needs("write:follows");

/** Single hashtags, those that the user follows, and those that many people use. */
export const tagEndpoints: readonly Endpoint[] = [
  endpoint("GET /api/v1/tags/{tag}", "A hashtag", {
    access: reads,
    answer: Tag,
    handle: presentTag,
  }),
  endpoint("POST /api/v1/tags/{tag}/follow", "Follow a hashtag: its statuses are at home", {
    access: writes,
    answer: Tag,
    counts: "follow",
    async handle(request) {
      await followTag(request.ctx, request.viewer.id, tagIn(request));
      return await presentTag(request);
    },
  }),
  endpoint("POST /api/v1/tags/{tag}/unfollow", "Unfollow a hashtag", {
    access: writes,
    answer: Tag,
    async handle(request) {
      await unfollowTag(request.ctx, request.viewer.id, tagIn(request));
      return await presentTag(request);
    },
  }),
  endpoint("GET /api/v1/followed_tags", "Hashtags that the user follows", {
    access: needs("read:follows"),
    query: accountPaging,
    answer: z.array(Tag),
    async handle(request) {
      const { ctx, site, viewer, query } = request;
      const { limit, before, after, from } = pagingOf(query);
      const range = { limit, before, after: from ?? after, upwards: from !== undefined };
      const page = await followedTagsPage(ctx, viewer.id, range);
      linkHeader(request, page);
      return page.items.map(({ id }) => tagEntity(site, id, { following: true }));
    },
  }),
  ...(["/api/v1/trends", "/api/v1/trends/tags"] as const).map((path) =>
    endpoint(`GET ${path}`, "Hashtags that many accounts use", {
      access: reads,
      query: z.object({ limit: limited({ usual: 10, most: 20 }), offset: count }),
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
  ),
];

/** Throws NotFound. */
function tagIn({ params }: Pick<ApiRequest, "params">): string {
  return required(foldTag(params.tag), "tag");
}

async function presentTag(request: ApiRequest): Promise<z.output<typeof Tag>> {
  const { ctx, site, viewer } = request;
  const tag = tagIn(request);
  return tagEntity(site, tag, { following: (await isFollowedBy(ctx, viewer?.id))(tag) });
}

/**
 * `people` used it in the last 24 hours, told as the day that begins at `day`, in seconds. `following`: whether the
 * viewer follows it.
 */
export function tagEntity(
  site: string,
  name: string,
  { following, used }: { following: boolean; used?: { people: number; day: number } },
): z.output<typeof Tag> {
  const url = `${site}/tags/${encodeURIComponent(name)}`;
  const people = String(used?.people);
  const history = used ? [{ day: String(used.day), accounts: people, uses: people }] : [];
  return { id: name, name, url, history, following, featuring: false };
}
