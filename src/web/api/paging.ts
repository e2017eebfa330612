import type { Request, Response } from "express";
import { z } from "zod";
import type { Stamp } from "../../domain/stamp.ts";
import { cursorId, stampOfId } from "./ids.ts";
import { count } from "./input.ts";

/** Which part of a list is asked for: all bounds are stamps and exclusive. */
export interface Paging {
  limit: number;
  /** `max_id`: older than this. */
  before?: Stamp | undefined;
  /** `since_id`: the newest that are newer than this. */
  after?: Stamp | undefined;
  /** `min_id`: those just newer than this. */
  from?: Stamp | undefined;
}

/** Items on a page: the default and the maximum. */
export interface PageLimits {
  usual: number;
  most: number;
}

export const statusLimits: PageLimits = { usual: 20, most: 40 };
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

/** The part of a list that a query asks for. */
export function pagingOf(query: z.output<typeof statusPaging>): Paging {
  const { limit, max_id: before, since_id: after, min_id: from } = query;
  return { limit, before, after, from };
}

/** A page as its links need it: the ids of its first and its last item, if it has any. */
export interface Ends {
  newest: string | undefined;
  oldest: string | undefined;
  /** Where the list goes on, if that is known to be further down than the last item. */
  older?: Stamp | undefined;
  /** Where it goes on upwards, if that is further up than the first. */
  newer?: Stamp | undefined;
}

/**
 * Links to the next page (older, `max_id`) and to the one before (newer, `min_id`), in this order and
 * absolute, with all that was asked for otherwise. None where there is nothing to go on from. `site`
 * is where the site is, without a path.
 */
export function linkHeader(res: Response, site: string, ends: Ends): void {
  const next = cursorOf(ends.older, ends.oldest);
  const previous = cursorOf(ends.newer, ends.newest);
  const links: string[] = [];
  if (next !== undefined) links.push(`<${linked(res.req, site, "max_id", next)}>; rel="next"`);
  if (previous !== undefined)
    links.push(`<${linked(res.req, site, "min_id", previous)}>; rel="prev"`);
  if (links.length > 0) res.setHeader("Link", links.join(", "));
}

/** The id of an item rather than a bare stamp, where it means the same. */
function cursorOf(stamp: Stamp | undefined, id: string | undefined): string | undefined {
  if (stamp === undefined || (id !== undefined && stampOfId(id) === stamp)) return id;
  return cursorId(stamp);
}

function linked({ originalUrl }: Request, site: string, bound: string, id: string): string {
  const [path, query] = splitAt(originalUrl, "?");
  const parameters = new URLSearchParams(query);
  for (const name of ["max_id", "since_id", "min_id"]) parameters.delete(name);
  parameters.append(bound, id);
  return `${site}${path}?${String(parameters)}`;
}

function splitAt(text: string, mark: string): [string, string] {
  const place = text.indexOf(mark);
  return place === -1 ? [text, ""] : [text.slice(0, place), text.slice(place + 1)];
}
