import { z } from "zod";
import { NotFound } from "../../domain/errors.ts";
import {
  followedTagsPage,
  followTag,
  isFollowedBy,
  unfollowTag,
} from "../../domain/graph/follows.ts";
import { foldTag } from "../../domain/tweets/text.ts";
import { type ApiRequest, type Endpoint, endpoint, knows, needs } from "./endpoint.ts";
import { Tag, tagEntity } from "./entities/tag.ts";
import { accountPaging, linkHeader, pagingOf } from "./paging.ts";

/** Single hashtags, and those that the user follows. */
export const tagEndpoints: readonly Endpoint[] = [
  endpoint("GET /api/v1/tags/{tag}", "A hashtag", {
    access: knows("read:statuses", "read:accounts", "read:follows"),
    answer: Tag,
    handle: async (request) => presentTag(request, tagIn(request)),
  }),
  endpoint("POST /api/v1/tags/{tag}/follow", "Follow a hashtag: its statuses are at home", {
    access: needs("write:follows"),
    answer: Tag,
    counts: "follow",
    async handle(request) {
      const tag = tagIn(request);
      await followTag(request.ctx, request.viewer.id, tag);
      return await presentTag(request, tag);
    },
  }),
  endpoint("POST /api/v1/tags/{tag}/unfollow", "Unfollow a hashtag", {
    access: needs("write:follows"),
    answer: Tag,
    async handle(request) {
      const tag = tagIn(request);
      await unfollowTag(request.ctx, request.viewer.id, tag);
      return await presentTag(request, tag);
    },
  }),
  endpoint("GET /api/v1/followed_tags", "Hashtags that the user follows", {
    access: needs("read:follows"),
    query: accountPaging,
    answer: z.array(Tag),
    async handle(request) {
      const { ctx, site, viewer, query } = request;
      const { from, after, ...range } = pagingOf(query);
      const page = await followedTagsPage(ctx, viewer.id, {
        ...range,
        after: from ?? after,
        upwards: from !== undefined,
      });
      const { items, older } = page;
      linkHeader(request, { newest: items[0]?.stamp, oldest: items.at(-1)?.stamp, older });
      return items.map(({ id }) => tagEntity(site, id, { following: true }));
    },
  }),
];

/** Throws NotFound. */
function tagIn({ params }: Pick<ApiRequest, "params">): string {
  const tag = foldTag(params.tag);
  if (tag === undefined) throw new NotFound("tag");
  return tag;
}

async function presentTag(
  { ctx, site, viewer }: Pick<ApiRequest, "ctx" | "site" | "viewer">,
  tag: string,
): Promise<z.output<typeof Tag>> {
  return tagEntity(site, tag, { following: (await isFollowedBy(ctx, viewer?.id))(tag) });
}
