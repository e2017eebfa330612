import { z } from "zod";
import { suggestPeople } from "../../domain/graph/suggestions.ts";
import { findUsers, type User } from "../../domain/users/store.ts";
import { type ApiRequest, type Endpoint, endpoint, needs } from "./endpoint.ts";
import { Account, presentAccounts } from "./entities/account.ts";
import { type Json, listOf, toJson, withFields } from "./json.ts";
import { accountLimits, limited } from "./paging.ts";

const part = z.object({ limit: limited(accountLimits) });

const Suggestion = z
  .strictObject({ source: z.string(), sources: z.array(z.string()), account: Account })
  .meta({ id: "Suggestion" });

/** `source` is the word that older apps know. */
const reason = toJson({ source: "past_interactions", sources: ["friends_of_friends"] });

/** Users followed by many of the viewer's followings. */
export const suggestionEndpoints: readonly Endpoint[] = [
  endpoint("GET /api/v1/suggestions", "Accounts that the user might want to follow", {
    access: needs("read:accounts"),
    query: part,
    answer: z.array(Account),
    handle: async (request) => listOf(await presentSuggested(request, request.query.limit)),
  }),
  endpoint("GET /api/v2/suggestions", "The same, with a reason", {
    access: needs("read:accounts"),
    query: part,
    answer: z.array(Suggestion),
    async handle(request) {
      const accounts = await presentSuggested(request, request.query.limit);
      return listOf(accounts.map((account) => withFields(reason, { account })));
    },
  }),
];

async function presentSuggested(request: ApiRequest<User>, limit: number): Promise<Json[]> {
  const found = await suggestPeople(request.ctx, request.viewer, limit);
  const ids = found.map(({ id }) => id);
  return await presentAccounts(request, [...(await findUsers(request.ctx, ids)).values()]);
}
