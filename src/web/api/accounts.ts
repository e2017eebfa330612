import type { RequestHandler, Response } from "express";
import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { NotFound } from "../../domain/errors.ts";
import { followersPage, followingsPage } from "../../domain/graph/follows.ts";
import { parseUserId, type UserId } from "../../domain/ids.ts";
import { findBlocked, findPeople, type PeopleQuery } from "../../domain/search/find-people.ts";
import { visiblePeople, relationsTo, requireNotBlockedBy } from "../../domain/graph/relations.ts";
import { readPeople } from "../../domain/graph/people-lists.ts";
import { findUsers, newestUsers, type User } from "../../domain/users/store.ts";
import { limitAct } from "../middleware/limits.ts";
import { siteOrigin } from "../send-public.ts";
import { type Endpoint, endpoint, knows, many, needs, one } from "./endpoint.ts";
import { presentAccount, presentAccounts } from "./entities/account.ts";
import { anything, count, flag, texts } from "./input.ts";
import { accountLimits, accountPaging, limited, pagingOf } from "./paging.ts";
import { findByAcct, nameIn, personOf } from "./account-param.ts";
import { sendJson, sendJsonList, sendPeople } from "./send.ts";

const slice = z.object({ limit: limited(accountLimits), offset: count });

/** Words in the place of an id are other endpoints. */
const skipWords: RequestHandler = (req, _res, next) => {
  next(parseUserId(String(req.params["id"])) === undefined ? "route" : undefined);
};

/** People, and lists of them. */
export const accountEndpoints: readonly Endpoint[] = [
  endpoint({
    method: "get",
    path: "/api/v1/accounts",
    summary: "Several at once",
    access: knows("read:accounts"),
    query: z.object({ id: texts }),
    answer: many("Account"),
    async handle({ ctx, res, viewer, query }) {
      const users = await findUsers(ctx, idsIn(query.id));
      await sendAccounts(ctx, res, await visiblePeople(ctx, viewer, [...users.values()]));
    },
  }),
  endpoint({
    method: "get",
    path: "/api/v1/accounts/lookup",
    summary: "By name",
    access: knows("read:accounts"),
    query: z.object({ acct: z.string() }),
    answer: one("Account"),
    async handle({ ctx, req, res, viewer, query }) {
      const user = await findByAcct(ctx, query.acct, siteOrigin(ctx, req));
      if (user === undefined) throw new NotFound("user");
      await sendAccount(ctx, res, viewer, user);
    },
  }),
  endpoint({
    method: "get",
    path: "/api/v1/accounts/search",
    summary: "People whose name begins so",
    access: needs("read:accounts"),
    query: slice.extend({
      q: z.string(),
      following: flag,
      resolve: anything("There are no other sites to ask."),
    }),
    answer: many("Account"),
    before: (ctx) => [limitAct(ctx, "searches")],
    async handle({ ctx, req, res, viewer, query }) {
      const { q, limit, offset = 0, following = false } = query;
      const typed = nameIn(q, siteOrigin(ctx, req)) ?? q;
      const found = await peopleCalled(ctx, viewer, typed, { limit, offset, following });
      await sendAccounts(ctx, res, found);
    },
  }),
  endpoint({
    method: "get",
    path: "/api/v1/accounts/{id}",
    summary: "One account",
    access: knows("read:accounts"),
    answer: one("Account"),
    before: () => [skipWords],
    async handle({ ctx, req, res, viewer }) {
      await sendAccount(ctx, res, viewer, await personOf(ctx, req));
    },
  }),
  peopleOf("followers", "Followers of an account", followersPage),
  peopleOf("following", "Accounts that an account follows", followingsPage),
  endpoint({
    method: "get",
    path: "/api/v1/directory",
    summary: "The newest people",
    access: knows("read:accounts"),
    query: slice,
    answer: many("Account"),
    async handle({ ctx, res, viewer, query: { limit, offset = 0 } }) {
      const people = await newestUsers(ctx, limit, offset);
      await sendAccounts(ctx, res, await visiblePeople(ctx, viewer, people));
    },
  }),
];

function peopleOf(name: string, summary: string, read: typeof followersPage): Endpoint {
  return endpoint({
    method: "get",
    path: `/api/v1/accounts/{id}/${name}`,
    summary,
    access: knows("read:accounts"),
    query: accountPaging,
    answer: many("Account"),
    paged: true,
    async handle({ ctx, req, res, viewer, query }) {
      const { id } = await personOf(ctx, req);
      await requireNotBlockedBy(ctx, viewer, id);
      const view = { viewer, ...pagingOf(query) };
      await sendPeople(ctx, res, await readPeople(ctx, view, (range) => read(ctx, id, range)));
    },
  });
}

/** Users found by name, as on pages. A user blocked by the viewer comes first, so that the block can be removed. */
export async function peopleCalled(
  ctx: Ctx,
  viewer: User | undefined,
  typed: string,
  part: PeopleQuery,
): Promise<User[]> {
  const found = await findPeople(ctx, viewer, typed, part);
  if (viewer === undefined || part.offset > 0 || part.following) return found;
  const blocked = await findBlocked(ctx, viewer, typed);
  return blocked === undefined ? found : [nameOnly(blocked), ...found].slice(0, part.limit);
}

/** Words that are not ids are left out. */
export function idsIn(raw: string[]): UserId[] {
  return raw.slice(0, mostNamed).flatMap((id) => parseUserId(id) ?? []);
}

/** Max ids in a request; further ones are left out. */
const mostNamed = 100;

/** A block in between hides the profile, as on the user's page. */
async function sendAccount(
  ctx: Ctx,
  res: Response,
  viewer: User | undefined,
  user: User,
): Promise<void> {
  const { blocked } = (await relationsTo(ctx, viewer, [user.id]))(user.id);
  const shown = blocked ? nameOnly(user) : user;
  sendJson(res, await presentAccount(ctx, siteOrigin(ctx, res.req), shown));
}

function nameOnly(user: User): User {
  return { ...user, bio: "", website: "" };
}

async function sendAccounts(ctx: Ctx, res: Response, people: User[]): Promise<void> {
  sendJsonList(res, await presentAccounts(ctx, siteOrigin(ctx, res.req), people));
}
