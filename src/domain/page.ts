import type { Ctx } from "../context.ts";
import type { RedisClient } from "../redis/redis-client.ts";
import type { Stamp } from "./ids.ts";

/** A member of a sorted set with a stamp as score. */
export interface Entry {
  id: string;
  stamp: Stamp;
}

/** Both bounds are exclusive. `limit` counts items. */
export interface Range {
  before: Stamp | undefined;
  after?: Stamp | undefined;
  limit: number;
  /** Reads upwards from `after`, oldest first, instead of downwards from `before`. */
  upwards?: boolean | undefined;
}

/** The part of a list that a reader asks for; bounds are exclusive. */
export interface ListRange {
  before?: Stamp | undefined;
  /** Only items newer than this; the newest first. */
  after?: Stamp | undefined;
  /** The items just newer than this, even if there are more above them. */
  from?: Stamp | undefined;
  /** Max items; default: one page. */
  limit?: number | undefined;
}

/** Newest first. `older`: cursor of the next page; undefined at the end. */
export interface Page<Item> {
  items: Item[];
  older: Stamp | undefined;
  /** Cursor for reading upwards, if there is more above the first item. */
  newer?: Stamp | undefined;
}

export const pageSize = 50;
/** Max rounds of reading that replace hidden items on one page; after that the page stays short. */
export const maxRounds = 20;

/** Max entries per identical stamp, as a page must be bounded; more only if forced, as stamps are microseconds. */
export const tiesShown = 100;

/**
 * Entries of a sorted set in reading order: at least `limit` unless the set ends before. More than `limit` only if
 * several share the last stamp, at most a hundred more, so that reading on beyond that stamp skips none.
 */
export async function readEntries(
  redis: RedisClient,
  key: string,
  range: Range,
  floor: Stamp = 1,
): Promise<Entry[]> {
  const { limit } = range;
  const bounds = boundsOf(range, floor);
  const reply = await redis.call("zrange", key, ...bounds, "LIMIT", 0, limit, "WITHSCORES");
  const entries = toEntries(reply as string[]);
  const last = entries.at(-1);
  const atEdge = last !== undefined && entries.length === limit;
  return atEdge ? await withTies(redis, key, entries, last.stamp) : entries;
}

async function withTies(redis: RedisClient, key: string, entries: Entry[], stamp: Stamp) {
  const tied = await redis.zrange(key, ...tiesBounds(stamp));
  if (tied.length === 1) return entries;
  const seen = new Set(entries.map((entry) => entry.id));
  return [...entries, ...tied.filter((id) => !seen.has(id)).map((id) => ({ id, stamp }))];
}

/** What shares one stamp, bounded, as arguments of ZRANGE. */
export function tiesBounds(stamp: Stamp) {
  return [stamp, String(stamp), "BYSCORE", "REV", "LIMIT", 0, tiesShown] as const;
}

/** The ends of a range of scores and its direction, as arguments of ZRANGE. */
export function boundsOf(range: Range, floor: Stamp = 1) {
  const top = upperBound(range.before);
  const bottom = String(Math.max(floor, (range.after ?? 0) + 1));
  return range.upwards === true
    ? ([bottom, top, "BYSCORE"] as const)
    : ([top, bottom, "BYSCORE", "REV"] as const);
}

/** The rest of a range beyond the stamp `cursor`, in its direction. */
export function rangeBeyond(range: Range, cursor: Stamp): Range {
  return range.upwards === true ? { ...range, after: cursor } : { ...range, before: cursor };
}

/** The upper end of a range of scores, as an argument of ZRANGE. */
export function upperBound(before: Stamp | undefined): string {
  return before === undefined ? "+inf" : `(${before}`;
}

/** Parses a flat reply of WITHSCORES: member, score, … */
export function toEntries(reply: readonly string[]): Entry[] {
  const entries: Entry[] = [];
  for (let index = 0; index < reply.length; index += 2)
    entries.push({ id: reply[index] as string, stamp: Number(reply[index + 1]) });
  return entries;
}

/** A page of a sorted set, with any kind of members; newest first in both directions. */
export async function readPage(
  redis: RedisClient,
  key: string,
  range: Range,
): Promise<Page<Entry>> {
  const entries = await readEntries(redis, key, { ...range, limit: range.limit + 1 });
  if (range.upwards === true) return cutPageUp(entries, range.limit);
  const page = cutPage(entries, range.limit);
  const edge = entries[range.limit]?.stamp;
  if (edge === undefined || page.older !== undefined) return page;
  // All entries share the last stamp and are shown: look whether there are more.
  const [next] = await readEntries(redis, key, { ...range, before: edge, limit: 1 });
  return next === undefined ? page : { ...page, older: edge };
}

/** Reads pages of the sorted set of each subject, as readPage does. */
export const pageOf =
  <Subject>(key: (subject: Subject) => string) =>
  async ({ redis }: Ctx, subject: Subject, range: Range): Promise<Page<Entry>> =>
    await readPage(redis, key(subject), range);

/** The first `limit` of `items` (and up to a hundred ties of the last), with the cursor of the rest. */
export function cutPage<Item extends { stamp: Stamp }>(items: Item[], limit: number): Page<Item> {
  const edge = items[limit - 1]?.stamp;
  if (edge === undefined || items.length <= limit) return { items, older: undefined };
  const bound = limit + tiesShown;
  const shown = items.filter(
    ({ stamp }, index) => index < limit || (index < bound && stamp === edge),
  );
  return { items: shown, older: shown.length < items.length ? edge : undefined };
}

/** The same of items that were read upwards: the page is newest first, and continues below them. */
export function cutPageUp<Item extends { stamp: Stamp }>(
  ascending: Item[],
  limit: number,
): Page<Item> {
  const items = cutPage(ascending, limit).items.toReversed();
  return { items, older: items.at(-1)?.stamp };
}
