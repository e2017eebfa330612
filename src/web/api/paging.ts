import type { Request, Response } from "express";
import { Invalid } from "../../domain/errors.ts";
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

/** How many there are on a page unless it is said, and at most. */
export interface PageLimits {
  usual: number;
  most: number;
}

export const statusLimits: PageLimits = { usual: 20, most: 40 };
export const accountLimits: PageLimits = { usual: 40, most: 80 };

/** The same limit where a list is paged by an offset, as a part of a schema. */
export function limited({ usual, most }: PageLimits) {
  return count
    .refine((limit) => limit !== 0)
    .transform((limit) => Math.min(limit ?? usual, most));
}

/** Throws Invalid for what is no number; what is more than the most is the most. */
export function pagingOf(req: Request, limits: PageLimits = statusLimits): Paging {
  return {
    limit: limitOf(req.query["limit"], limits),
    before: boundOf(req, "max_id"),
    after: boundOf(req, "since_id"),
    from: boundOf(req, "min_id"),
  };
}

function limitOf(raw: unknown, { usual, most }: PageLimits): number {
  if (raw === undefined || raw === "") return usual;
  if (typeof raw !== "string" || !/^\d{1,9}$/.test(raw) || Number(raw) === 0)
    throw new Invalid({ limit: "field.malformed" });
  return Math.min(Number(raw), most);
}

function boundOf(req: Request, name: string): Stamp | undefined {
  const raw = req.query[name];
  if (raw === undefined || raw === "") return undefined;
  const stamp = typeof raw === "string" ? stampOfId(raw) : undefined;
  if (stamp === undefined) throw new Invalid({ [name]: "field.malformed" });
  return stamp;
}

/** A page as its links need it: the ids of its items, newest first. */
export interface Ends {
  ids: string[];
  /** Where the list goes on, if that is known to be further down than the last item. */
  older?: Stamp | undefined;
}

/**
 * Links to the next page (older, `max_id`) and to the one before (newer, `min_id`), in this order and
 * absolute, with all that was asked for otherwise. None where there is nothing to go on from. `site`
 * is where the site is, without a path.
 */
export function linkHeader(res: Response, site: string, { ids, older }: Ends): void {
  const [newest, oldest] = [ids[0], ids.at(-1)];
  const rest = older === undefined ? oldest : cursorOf(older, oldest);
  const links: string[] = [];
  if (rest !== undefined) links.push(`<${linked(res.req, site, "max_id", rest)}>; rel="next"`);
  if (newest !== undefined) links.push(`<${linked(res.req, site, "min_id", newest)}>; rel="prev"`);
  if (links.length > 0) res.setHeader("Link", links.join(", "));
}

function cursorOf(older: Stamp, oldest: string | undefined): string {
  return oldest !== undefined && stampOfId(oldest) === older ? oldest : cursorId(older);
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
