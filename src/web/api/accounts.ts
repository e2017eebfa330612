import { z } from "zod";
import { required } from "../../domain/errors.ts";
import { followersPage, followingsPage } from "../../domain/graph/follows.ts";
import { readPeople } from "../../domain/graph/people-lists.ts";
import { relationsTo, requireNotBlockedBy, visiblePeople } from "../../domain/graph/relations.ts";
import { suggestPeople } from "../../domain/graph/suggestions.ts";
import { findBlocked, findPeople, type PeopleQuery } from "../../domain/search/find-people.ts";
import { tallies } from "../../domain/tallies.ts";
import { withoutProfile } from "../../domain/users/settings.ts";
import { newestUsers } from "../../domain/users/listed.ts";
import { findUsers, type User } from "../../domain/users/store.ts";
import { accountIds, findByAcct, getAccount, nameIn } from "./account-param.ts";
import { type ApiRequest, type Endpoint, endpoint, knows, needs } from "./endpoint.ts";
import { Account, presentAccount, presentAccounts } from "./entities/account.ts";
import { entity } from "./entities/fields.ts";
import { type ApiView, type Json, listOf, toJson, withFields } from "./entities/parts.ts";
import { anything, count, flag } from "./input.ts";
import { accountLimits, accountPaging, accountsPage, limited } from "./paging.ts";
import { acceptRequest, endRequest } from "../../domain/actions/follow.ts";
import { followRequestsPage } from "../../domain/graph/follow-requests.ts";
import { ownPage, relate } from "./relationships.ts";

const slice = z.object({ limit: limited(accountLimits), offset: count });

const Suggestion = entity("Suggestion", {
  source: z.string(),
  sources: z.array(z.string()),
  account: Account,
});
/** `source` is the word that older apps know. */
const reason = toJson({ source: "past_interactions", sources: ["friends_of_friends"] });
const suggested = z.object({ limit: slice.shape.limit });

/** Accounts, and lists of them. To be mounted after endpoints that have words in the place of an id. */
export const accountEndpoints: readonly Endpoint[] = [
  endpoint("GET /api/v1/accounts", "Several at once", {
    access: knows("read:accounts"),
    query: z.object({ id: accountIds }),
    answer: z.array(Account),
    async handle(request) {
      const users = await findUsers(request.ctx, request.query.id);
      return await presentVisible(request, [...users.values()]);
    },
  }),
  endpoint("GET /api/v1/accounts/lookup", "By name", {
    access: knows("read:accounts"),
    query: z.object({ acct: z.string() }),
    answer: Account,
    async handle(request) {
      const user = await findByAcct(request.ctx, request.query.acct, request.site);
      return await presentOne(request, required(user, "user"));
    },
  }),
  endpoint("GET /api/v1/accounts/search", "Accounts whose name begins with the query", {
    access: needs("read:accounts"),
    query: slice.extend({
      q: z.string(),
      following: flag,
      resolve: anything("There are no other sites to ask."),
    }),
    answer: z.array(Account),
    counts: "search",
    async handle(request) {
      const { q, limit, offset = 0, following = false } = request.query;
      const people = await searchPeople(request, q, { limit, offset, following });
      return listOf(await presentAccounts(request, people));
    },
  }),
  endpoint("GET /api/v1/accounts/{id}", "One account", {
    access: knows("read:accounts"),
    answer: Account,
    handle: async (request) =>
      presentOne(request, await getAccount(request.ctx, request.params.id)),
  }),
  peopleOf("followers", "Followers of an account", followersPage),
  peopleOf("following", "Accounts that an account follows", followingsPage),
  endpoint("GET /api/v1/directory", "The newest accounts", {
    access: knows("read:accounts"),
    query: slice.extend({
      order: anything("The newest accounts come first."),
      local: anything("All accounts are of this site."),
    }),
    answer: z.array(Account),
    async handle(request) {
      const { limit, offset = 0 } = request.query;
      return await presentVisible(request, await newestUsers(request.ctx, limit, offset));
    },
  }),
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

/** Accounts that ask to follow the user, who is protected. */
export const followRequestEndpoints: readonly Endpoint[] = [
  endpoint("GET /api/v1/follow_requests", "Accounts that ask to follow the user", {
    access: needs("read:follows"),
    query: accountPaging,
    answer: z.array(Account),
    handle: (request) => ownPage(request, followRequestsPage),
  }),
  relate("authorize", "Accept a request to follow", "write:follows", {
    list: "follow_requests",
    counts: "follow",
    run: (ctx, followee, follower) => acceptRequest(ctx, { follower, followee }),
  }),
  relate("reject", "Decline a request to follow", "write:follows", {
    list: "follow_requests",
    run: (ctx, followee, follower) => endRequest(ctx, { follower, followee }),
  }),
];

/** Users followed by many of the viewer's followings. */
async function presentSuggested(request: ApiRequest<User>, limit: number): Promise<Json[]> {
  const suggestions = await suggestPeople(request.ctx, request.viewer, limit);
  const ids = suggestions.map(({ id }) => id);
  return await presentAccounts(request, [...(await findUsers(request.ctx, ids)).values()]);
}

function peopleOf(name: string, summary: string, read: typeof followersPage): Endpoint {
  return endpoint(`GET /api/v1/accounts/{id}/${name}`, summary, {
    access: knows("read:accounts"),
    query: accountPaging,
    answer: z.array(Account),
    async handle(request) {
      const { ctx, viewer, params } = request;
      const { id } = await getAccount(ctx, params.id);
      await requireNotBlockedBy(ctx, viewer, id);
      return await accountsPage(request, (view) =>
        readPeople(ctx, view, (range) => read(ctx, id, range)),
      );
    },
  });
}

/** Users found by name, as on pages. A user blocked by the viewer comes first, so that the block can be removed. */
export async function searchPeople(
  { ctx, viewer, site }: ApiView,
  typed: string,
  part: PeopleQuery,
): Promise<User[]> {
  tallies.searches.inc({ kind: "people" });
  const name = nameIn(typed, site) ?? typed;
  const blocked =
    viewer === undefined || part.following ? undefined : await findBlocked(ctx, viewer, name);
  if (blocked === undefined) return await findPeople(ctx, viewer, name, part);
  // The blocked user is the first of all.
  const offset = Math.max(0, part.offset - 1);
  const people = await findPeople(ctx, viewer, name, { ...part, offset });
  return part.offset > 0 ? people : [withoutProfile(blocked), ...people].slice(0, part.limit);
}

/** A block in between hides the profile, as on the user's page. */
async function presentOne(view: ApiView, user: User): Promise<Json> {
  const { blocked } = (await relationsTo(view.ctx, view.viewer, [user.id]))(user.id);
  return await presentAccount(view, blocked ? withoutProfile(user) : user);
}

async function presentVisible(view: ApiView, users: User[]): Promise<Json> {
  return listOf(await presentAccounts(view, await visiblePeople(view.ctx, view.viewer, users)));
}
