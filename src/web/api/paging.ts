import { z } from "zod";
import type { Ctx } from "../../context.ts";
import type { FeedItem, FeedView } from "../../domain/feeds/types.ts";
import type { PeoplePage } from "../../domain/graph/people-lists.ts";
import type { Page } from "../../domain/page.ts";
import type { Stamp } from "../../domain/ids.ts";
import { findTombstone } from "../../domain/tweets/store.ts";
import type { User } from "../../domain/users/store.ts";
import { cacheAnswer } from "../server/cached-answers.ts";
import type { ApiRequest } from "./endpoint.ts";
import { presentAccounts } from "./entities/account.ts";
import { presentStatuses } from "./entities/status.ts";
import { type NamedStatus, stampOfNotification, statusBound } from "./ids.ts";
import { count } from "./input.ts";
import { type Json, listOf, withFields } from "./entities/parts.ts";

/** Items on a page: the default and the maximum. */
interface PageLimits {
  usual: number;
  most: number;
}

export const accountLimits: PageLimits = { usual: 40, most: 80 };

/** `limit` as a part of a schema: more than the most is the most. */
export function limited({ usual, most }: PageLimits) {
  const documented = { description: `${usual} if it is left out.`, minimum: 1, maximum: most };
  return count
    .refine((limit) => limit !== 0)
    .transform((limit) => Math.min(limit ?? usual, most))
    .meta(documented);
}

const digits = z.string().regex(/^\d{1,40}$/);

/** A bound of a list: an id, or any decimal number; empty means missing. */
function cursor<Bound>(parse: (id: string) => Bound, what: string) {
  return z
    .preprocess((value) => (value === "" ? undefined : value), digits.optional())
    .transform((id) => (id === undefined ? undefined : parse(id)))
    .describe(what);
}

/** The query of a list that is paged by the ids of its items. */
function paging<Bound>(limits: PageLimits, parse: (id: string) => Bound) {
  return z.object({
    limit: limited(limits),
    max_id: cursor(parse, "Those older than this one."),
    since_id: cursor(parse, "The newest of those newer than this one."),
    min_id: cursor(parse, "Those just newer than this one."),
  });
}

export const statusPaging = paging({ usual: 20, most: 40 }, statusBound);
/** Paging of accounts and of notifications: bounds are stamps. */
export const accountPaging = paging(accountLimits, stampOfNotification);

type AccountRange = ReturnType<typeof pagingOf>;
type StatusRange = Awaited<ReturnType<typeof statusPagingOf>>;

/** The part of a list that a query asks for; bounds are exclusive. */
export function pagingOf(query: z.output<typeof accountPaging>) {
  const { limit, max_id: before, since_id: after, min_id: from } = query;
  return { limit, before, after, from };
}

/** The part of a list of statuses. Of a deleted bound only the second is known, so others of that second come again. */
export async function statusPagingOf(ctx: Ctx, query: z.output<typeof statusPaging>) {
  const { limit, max_id, since_id, min_id } = query;
  const [before, after, from] = await Promise.all([
    stampOf(ctx, max_id, ({ last }) => last + 1),
    stampOf(ctx, since_id, ({ first }) => first - 1),
    stampOf(ctx, min_id, ({ first }) => first - 1),
  ]);
  return { limit, before, after, from };
}

export async function stampOf(
  ctx: Ctx,
  bound: NamedStatus | Stamp | undefined,
  guess: (named: NamedStatus) => Stamp,
): Promise<Stamp | undefined> {
  if (typeof bound !== "object") return bound;
  const stamp = (await findTombstone(ctx, bound.id))?.createdAt ?? -1;
  return stamp >= bound.first && stamp <= bound.last ? stamp : guess(bound);
}

/** The page of an unsupported list. */
export const emptyPage: Page<FeedItem> = { items: [], older: undefined };

/** A page of a list of statuses, with links to what is beyond it. `read` gets the part that the query asks for. */
export async function statusesPage(
  request: ApiRequest<User | undefined, z.output<typeof statusPaging>>,
  read: (view: FeedView & StatusRange) => Promise<Page<FeedItem>>,
): Promise<Json> {
  const { ctx, res, viewer, query } = request;
  const page = await read({ viewer, ...(await statusPagingOf(ctx, query)) });
  const statuses = await presentStatuses(request, page.items);
  linkHeader(request, page);
  cacheAnswer(res);
  return listOf(statuses);
}

/** A page of accounts, with links to what is beyond it; `added`: further fields of an account. */
export async function accountsPage(
  request: ApiRequest<User | undefined, z.output<typeof accountPaging>>,
  read: (view: AccountRange & { viewer: User | undefined }) => Promise<PeoplePage>,
  added: (user: User) => Record<string, Json> = () => ({}),
): Promise<Json> {
  const { viewer, query } = request;
  const page = await read({ viewer, ...pagingOf(query) });
  const { items, newest, oldest, older = oldest, newer = newest } = page;
  linkHeader(request, { items: [], older, newer });
  const accounts = await presentAccounts(request, items);
  return listOf(
    accounts.map((account, nth) => withFields(account, items[nth] ? added(items[nth]) : {})),
  );
}

/**
 * Links to the next page (older, `max_id`) and to the one before (newer, `min_id`), in this order, absolute and
 * with all other parameters of the request. None without an item or a cursor.
 */
export function linkHeader(
  { req, res, site }: ApiRequest,
  { items, older = items.at(-1)?.stamp, newer = items[0]?.stamp }: Page<{ stamp: Stamp }>,
): void {
  const [path = "", ...query] = req.originalUrl.split("?");
  const parameters = new URLSearchParams(query.join("?"));
  for (const name of ["max_id", "since_id", "min_id"]) parameters.delete(name);
  const links = [
    { rel: "next", bound: "max_id", stamp: older },
    { rel: "prev", bound: "min_id", stamp: newer },
  ].flatMap(({ rel, bound, stamp }) => {
    if (stamp === undefined) return [];
    const all = new URLSearchParams([...parameters, [bound, String(stamp)]]);
    return `<${site}${path}?${String(all)}>; rel="${rel}"`;
  });
  if (links.length > 0) res.setHeader("Link", links.join(", "));
}
