import { z } from "zod";
import type { FeedItem } from "../../domain/feeds/types.ts";
import type { PeoplePage } from "../../domain/graph/people-lists.ts";
import type { Page } from "../../domain/page.ts";
import type { Stamp } from "../../domain/stamp.ts";
import { keepAnswer } from "../middleware/kept-pages.ts";
import type { ApiRequest } from "./endpoint.ts";
import { presentAccounts } from "./entities/account.ts";
import { presentStatuses } from "./entities/status.ts";
import { cursorId, stampOfId, statusId } from "./ids.ts";
import { count } from "./input.ts";
import { type Json, listOf } from "./json.ts";

/** Items on a page: the default and the maximum. */
export interface PageLimits {
  usual: number;
  most: number;
}

const statusLimits: PageLimits = { usual: 20, most: 40 };
export const accountLimits: PageLimits = { usual: 40, most: 80 };

/** `limit` as a part of a schema: more than the most is the most. */
export function limited({ usual, most }: PageLimits) {
  const documented = { description: `${usual} if it is left out.`, minimum: 1, maximum: most };
  return count
    .refine((limit) => limit !== 0)
    .transform((limit) => Math.min(limit ?? usual, most))
    .meta(documented);
}

/** A bound of a list: an id, or any decimal number; empty means missing. */
function cursor(what: string) {
  return z
    .preprocess(
      (value) => (value === "" ? undefined : value),
      z
        .string()
        .regex(/^\d{1,40}$/)
        .optional(),
    )
    .transform((id) => (id === undefined ? undefined : stampOfId(id)))
    .describe(what);
}

/** The query of a list that is paged by the ids of its items. */
function paging(limits: PageLimits) {
  return z.object({
    limit: limited(limits),
    max_id: cursor("Those older than this one."),
    since_id: cursor("The newest of those newer than this one."),
    min_id: cursor("Those just newer than this one."),
  });
}

export const statusPaging = paging(statusLimits);
export const accountPaging = paging(accountLimits);

/** The part of a list that a query asks for; bounds are exclusive. */
export function pagingOf(query: z.output<typeof statusPaging>) {
  const { limit, max_id: before, since_id: after, min_id: from } = query;
  return { limit, before, after, from };
}

/** The page of an unsupported list. */
export const emptyPage: Page<FeedItem> = { items: [], older: undefined };

/** A page of a timeline, with links to what is beyond it. */
export async function statusesPage(
  request: ApiRequest,
  { items, older, newer }: Page<FeedItem>,
  idOf = ({ tweet, retweet }: FeedItem) => statusId(retweet ?? tweet),
): Promise<Json> {
  const statuses = await presentStatuses(request, items);
  const [first, last] = [items[0], items.at(-1)];
  linkHeader(request, { newest: first && idOf(first), oldest: last && idOf(last), older, newer });
  keepAnswer(request.res);
  return listOf(statuses);
}

/** The same of a list in the order of reactions, such as likes. */
export async function reactionsPage(request: ApiRequest, page: Page<FeedItem>): Promise<Json> {
  return await statusesPage(request, page, ({ stamp }) => cursorId(stamp));
}

/** A page of accounts, with links to what is beyond it. */
export async function accountsPage(
  request: ApiRequest,
  { items, newest, oldest, older, newer }: PeoplePage,
): Promise<Json> {
  linkHeader(request, { older: older ?? oldest, newer: newer ?? newest });
  return listOf(await presentAccounts(request, items));
}

/** A page as its links need it. */
interface Ends {
  /** Ids of the first and the last item. */
  newest?: string | undefined;
  oldest?: string | undefined;
  /** Cursors of the next page and of the one before, if they are beyond these items. */
  older?: Stamp | undefined;
  newer?: Stamp | undefined;
}

/**
 * Links to the next page (older, `max_id`) and to the one before (newer, `min_id`), in this order, absolute and
 * with all other parameters of the request. None without an item or a cursor.
 */
export function linkHeader(request: ApiRequest, { newest, oldest, older, newer }: Ends): void {
  const links = [
    ...linkTo(request, "next", "max_id", cursorOf(older, oldest)),
    ...linkTo(request, "prev", "min_id", cursorOf(newer, newest)),
  ];
  if (links.length > 0) request.res.setHeader("Link", links.join(", "));
}

/** The id of an item rather than a bare stamp, where it means the same. */
function cursorOf(stamp: Stamp | undefined, id: string | undefined): string | undefined {
  if (stamp === undefined || (id !== undefined && stampOfId(id) === stamp)) return id;
  return cursorId(stamp);
}

function linkTo(
  { req, site }: ApiRequest,
  rel: string,
  bound: string,
  id: string | undefined,
): string[] {
  if (id === undefined) return [];
  const [path = "", ...query] = req.originalUrl.split("?");
  const parameters = new URLSearchParams(query.join("?"));
  for (const name of ["max_id", "since_id", "min_id"]) parameters.delete(name);
  parameters.append(bound, id);
  return [`<${site}${path}?${String(parameters)}>; rel="${rel}"`];
}
