import { type Response, Router } from "express";
import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { NotFound } from "../../domain/errors.ts";
import { followersPage, followingsPage } from "../../domain/graph/follows.ts";
import { parseUserId, type UserId } from "../../domain/ids.ts";
import { findBlocked, findPeople, type Part } from "../../domain/search/find-people.ts";
import { seenAmong } from "../../domain/graph/visibility.ts";
import { readPeople } from "../../domain/graph/people-lists.ts";
import { relationsTo, requireNotBlockedBy } from "../../domain/graph/relations.ts";
import { findUsers, newestUsers, type User } from "../../domain/users/store.ts";
import { limitAct } from "../middleware/limits.ts";
import { siteOrigin } from "../send-public.ts";
import { optionalScope, requireScope } from "./bearer.ts";
import { presentAccount, presentAccounts } from "./entities/account.ts";
import { count, flag, readInput, texts } from "./input.ts";
import { accountLimits, limited, pagingOf } from "./paging.ts";
import { findByAcct, nameIn, personOf } from "./account-param.ts";
import { sendJson, sendJsonList, sendPeople } from "./send.ts";

const lookup = z.object({ acct: z.string() });
const some = z.object({ id: texts });
const search = z.object({
  q: z.string(),
  limit: limited(accountLimits),
  offset: count,
  following: flag,
});
const directory = z.object({ limit: limited(accountLimits), offset: count });

const lists = { followers: followersPage, following: followingsPage } as const;

/** People, and lists of them. */
export function accountsApi(ctx: Ctx): Router {
  const router = Router();

  router.get("/api/v1/accounts", async (req, res) => {
    const viewer = optionalScope(res, "read:accounts");
    const users = await findUsers(ctx, idsIn(readInput(some, req.query).id));
    await sendAccounts(ctx, res, await seenAmong(ctx, viewer, [...users.values()]));
  });

  router.get("/api/v1/accounts/lookup", async (req, res) => {
    const viewer = optionalScope(res, "read:accounts");
    const { acct } = readInput(lookup, req.query);
    const user = await findByAcct(ctx, acct, siteOrigin(ctx, req));
    if (user === undefined) throw new NotFound("user");
    await sendAccount(ctx, res, viewer, user);
  });

  router.get("/api/v1/accounts/search", limitAct(ctx, "searches"), async (req, res) => {
    const viewer = requireScope(res, "read:accounts");
    const { q, limit, offset = 0, following = false } = readInput(search, req.query);
    const typed = nameIn(q, siteOrigin(ctx, req)) ?? q;
    await sendAccounts(
      ctx,
      res,
      await peopleCalled(ctx, viewer, typed, { limit, offset, following }),
    );
  });

  router.get("/api/v1/accounts/:id", async (req, res, next) => {
    // Names such as "verify_credentials" have endpoints of their own.
    if (parseUserId(req.params.id) === undefined) {
      next();
      return;
    }
    const viewer = optionalScope(res, "read:accounts");
    await sendAccount(ctx, res, viewer, await personOf(ctx, req));
  });

  for (const list of ["followers", "following"] as const)
    router.get(`/api/v1/accounts/:id/${list}`, async (req, res) => {
      const viewer = optionalScope(res, "read:accounts");
      const { id } = await personOf(ctx, req);
      await requireNotBlockedBy(ctx, viewer, id);
      const view = { viewer, ...pagingOf(req, accountLimits) };
      await sendPeople(
        ctx,
        res,
        await readPeople(ctx, view, (range) => lists[list](ctx, id, range)),
      );
    });

  router.get("/api/v1/directory", async (req, res) => {
    const viewer = optionalScope(res, "read:accounts");
    const { limit, offset = 0 } = readInput(directory, req.query);
    const people = await newestUsers(ctx, limit, offset);
    await sendAccounts(ctx, res, await seenAmong(ctx, viewer, people));
  });

  return router;
}

/** Whom an app finds by a name: those whom pages find, and first whom the viewer may want to unblock. */
export async function peopleCalled(
  ctx: Ctx,
  viewer: User | undefined,
  typed: string,
  part: Part,
): Promise<User[]> {
  const found = await findPeople(ctx, viewer, typed, part);
  if (viewer === undefined || part.offset > 0 || part.following) return found;
  const blocked = await findBlocked(ctx, viewer, typed);
  return blocked === undefined ? found : [nameOnly(blocked), ...found].slice(0, part.limit);
}

/** What is no id names nobody. */
export function idsIn(raw: string[]): UserId[] {
  return raw.slice(0, mostNamed).flatMap((one) => parseUserId(one) ?? []);
}

/** More are not answered at a time. */
const mostNamed = 100;

/** With a block in between they tell nothing of themselves, as on their page. */
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
