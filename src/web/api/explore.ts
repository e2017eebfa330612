import { z } from "zod";
import { isFollowedBy } from "../../domain/graph/follows.ts";
import { suggestPeople } from "../../domain/graph/suggestions.ts";
import { trendingTags } from "../../domain/search/trending.ts";
import { type User, findUsers } from "../../domain/users/store.ts";
import { type ApiRequest, type Endpoint, endpoint, knows, needs } from "./endpoint.ts";
import { Account, presentAccounts } from "./entities/account.ts";
import { Tag, tagEntity } from "./entities/tag.ts";
import { count } from "./input.ts";
import { type Json, listOf, toJson, withFields } from "./json.ts";
import { accountLimits, limited } from "./paging.ts";

const daySeconds = 24 * 60 * 60;
const trending = z.object({ limit: limited({ usual: 10, most: 20 }), offset: count });

/** Hashtags that many people use. */
export const trendEndpoints: readonly Endpoint[] = (
  ["/api/v1/trends", "/api/v1/trends/tags"] as const
).map((path) =>
  endpoint(`GET ${path}`, "Hashtags that many accounts use", {
    access: knows("read:statuses", "read:accounts", "read:follows"),
    query: trending,
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

const suggested = z.object({ limit: limited(accountLimits) });

const Suggestion = z
  .strictObject({ source: z.string(), sources: z.array(z.string()), account: Account })
  .meta({ id: "Suggestion" });

/** `source` is the word that older apps know. */
const reason = toJson({ source: "past_interactions", sources: ["friends_of_friends"] });

/** Users followed by many of the viewer's followings. */
export const suggestionEndpoints: readonly Endpoint[] = [
  endpoint("GET /api/v1/suggestions", "Accounts that the user might want to follow", {
    access: needs("read:accounts"),
    query: suggested,
    answer: z.array(Account),
    handle: async (request) => listOf(await presentSuggested(request, request.query.limit)),
  }),
  endpoint("GET /api/v2/suggestions", "The same, with a reason", {
    access: needs("read:accounts"),
    query: suggested,
    answer: z.array(Suggestion),
    async handle(request) {
      const accounts = await presentSuggested(request, request.query.limit);
      return listOf(accounts.map((account) => withFields(reason, { account })));
    },
  }),
];

async function presentSuggested(request: ApiRequest<User>, limit: number): Promise<Json[]> {
  const suggestions = await suggestPeople(request.ctx, request.viewer, limit);
  const ids = suggestions.map(({ id }) => id);
  return await presentAccounts(request, [...(await findUsers(request.ctx, ids)).values()]);
}
