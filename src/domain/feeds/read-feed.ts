import type { Ctx } from "../../context.ts";
import { type Stamp, type TweetId, tweetId } from "../ids.ts";
import { bestEffort } from "../outage.ts";
import {
  cutPage,
  cutPageUp,
  type Entry,
  maxRounds,
  pageSize,
  type Range,
  readEntries,
} from "../page.ts";
import { withoutCaching } from "../scope.ts";
import { hydrate, itemOfEach, visibleItems } from "./feed-items.ts";
import type { FeedItem, FeedPage, FeedSource, FeedView } from "./types.ts";

/** Max distance of a repeat in items; Mastodon uses the same number. */
const repeatDistance = 40;

/** A list of tweet ids in one key. */
export function listSource({ redis }: Ctx, key: string): FeedSource {
  return {
    read: (range) => readEntries(redis, key, range),
    heal: async (ids) => void (await redis.zrem(key, ...ids)),
  };
}

/**
 * A page, newest first. Filters before it cuts, so that the page is full unless the list ends. With `from`,
 * the page's `newer` is set if there is more above its newest item.
 */
export async function readFeed(ctx: Ctx, view: FeedView, source: FeedSource): Promise<FeedPage> {
  return view.from === undefined
    ? await readDownwards(ctx, view, source)
    : await readUpwards(ctx, { ...view, from: view.from }, source);
}

async function readDownwards(ctx: Ctx, view: FeedView, source: FeedSource): Promise<FeedPage> {
  const { limit = pageSize, after = 0 } = view;
  const drops = source.dropsRepeats === true;
  const items: FeedItem[] = [];
  let cursor = view.before;
  for (let round = 0; mayRead(source, round); round += 1) {
    // Older items decide what is a repeat, so read past `after`.
    const bottom = drops ? undefined : view.after;
    const range = { before: cursor, after: bottom, limit: entriesIn(round, limit) };
    const { items: more, last } = await readRound(ctx, view, source, range);
    items.push(...more);
    cursor = last?.stamp;
    const shown = drops ? withoutRepeats(items, last === undefined) : items;
    const isEnd = last === undefined || (shown.at(-1)?.stamp ?? Infinity) <= after;
    if (isEnd || isFull(shown, limit)) return pageDown(shown, view, cursor);
  }
  return pageDown(drops ? withoutRepeats(items, true) : items, view, cursor);
}

/** Whether a page may take one more round; otherwise it stays short. */
function mayRead(source: FeedSource, round: number): boolean {
  return round === 0 || (round < maxRounds && source.isSpent?.() !== true);
}

/** Whether there is an older item after the page, where the next page begins. */
function isFull(items: FeedItem[], limit: number): boolean {
  const [edge, last] = [items[limit - 1], items.at(-1)];
  return edge !== undefined && last !== undefined && last.stamp < edge.stamp;
}

function pageDown(
  items: FeedItem[],
  { limit = pageSize, after = 0 }: FeedView,
  cursor: Stamp | undefined,
): FeedPage {
  const newer = after === 0 ? items : items.filter(({ stamp }) => stamp > after);
  const page = cutPage(newer, limit);
  // Shows what was read beyond `after`.
  const isBeyond = cursor !== undefined && cursor <= after;
  const rest = isBeyond ? page.items.at(-1)?.stamp : cursor;
  return { items: page.items, older: page.older ?? rest };
}

/** A page of the items just newer than `from`, newest first: the same items that reading down shows there. */
async function readUpwards(ctx: Ctx, view: FeedView & { from: Stamp }, source: FeedSource) {
  const { limit = pageSize, before } = view;
  const bottom = Math.max(view.from, view.after ?? 0);
  /** Oldest first. */
  const items: FeedItem[] = [];
  let below: FeedItem[] | undefined;
  let shown: FeedItem[] = [];
  let cursor: Stamp | undefined = bottom;
  for (let round = 0; mayRead(source, round) && cursor !== undefined; round += 1) {
    const range = { before, after: cursor, limit: entriesIn(round, limit), upwards: true };
    const { items: more, last } = await readRound(ctx, view, source, range);
    items.push(...more);
    cursor = last?.stamp;
    const hasRetweet = items.some(({ retweet }) => retweet !== undefined);
    if (source.dropsRepeats === true && hasRetweet)
      below ??= await readBelow(ctx, view, source, bottom);
    shown = below === undefined ? items : withoutRepeatsAbove(items, below);
    if (shown.length >= limit) return cutPageUp(shown, limit);
  }
  const page = cutPageUp(shown, limit);
  return cursor === undefined ? page : { ...page, newer: cursor };
}

/** The items up to the stamp `top`, as far as they decide which retweets above are repeats. */
async function readBelow(ctx: Ctx, view: FeedView, source: FeedSource, top: Stamp) {
  const items: FeedItem[] = [];
  let before = top + 1;
  for (let round = 0; round < maxRounds && items.length < repeatDistance; round += 1) {
    const range = { before, limit: repeatDistance };
    const { items: more, last } = await readRound(ctx, view, source, range);
    items.push(...more);
    if (last === undefined) break;
    before = last.stamp;
  }
  return items;
}

function withoutRepeatsAbove(ascending: FeedItem[], below: FeedItem[]): FeedItem[] {
  const shown = new Set(withoutRepeats([...ascending.toReversed(), ...below], true));
  return ascending.filter((item) => shown.has(item));
}

/** Entries read at a time: one more than a page; if that was not enough, more and more. */
function entriesIn(round: number, limit: number): number {
  return 1 + (round === 0 ? limit : Math.max(limit, pageSize) * 2 ** Math.min(round - 1, 2));
}

/**
 * Reads `range.limit` entries: in reading order the visible `items`, and the `last` entry, visible or not, which is
 * undefined at the end of the list. Removes entries that are deleted or do not belong there.
 */
async function readRound(ctx: Ctx, view: FeedView, source: FeedSource, range: Range) {
  const entries = await source.read(range);
  const make = async (missing: Entry[]) => await readItems(ctx, view, source, missing);
  const items = await (view.kept?.items(ctx, entries, make) ?? make(entries));
  return {
    items: items.filter((item) => item !== undefined),
    last: entries.length < range.limit ? undefined : entries.at(-1),
  };
}

/** The item of each entry; undefined where there is none to be shown. */
async function readItems(
  ctx: Ctx,
  { viewer, includeMuted, context, only = () => true }: FeedView,
  source: FeedSource,
  entries: Entry[],
): Promise<(FeedItem | undefined)[]> {
  const { items, gone } = await hydrateMatching(ctx, source, entries);
  const [belongs, isWanted, visible] = await Promise.all([
    source.allowed?.(items) ?? (() => true),
    source.wanted?.(items) ?? (() => true),
    visibleItems(ctx, viewer, items, { includeMuted, context }),
  ]);
  const misplaced = [...gone, ...items.filter((item) => !belongs(item)).map(entryOf)];
  if (misplaced.length > 0 && source.heal !== undefined)
    await bestEffort(withoutCaching(() => heal(ctx, source, misplaced)));
  const shown = visible.filter((item) => belongs(item) && isWanted(item) && only(item));
  return itemOfEach(entries, shown);
}

async function hydrateMatching(ctx: Ctx, source: FeedSource, entries: Entry[]) {
  const { items, gone } = await hydrate(ctx, entries);
  return { items: source.matches === undefined ? items : items.filter(source.matches), gone };
}

function entryOf({ tweet, retweet, stamp }: FeedItem): { id: TweetId; stamp: Stamp } {
  return { id: (retweet ?? tweet).id, stamp };
}

/**
 * Removes entries that are gone or do not belong there. Looks again first: the memory may not have heard yet of a new
 * tweet or a new follow.
 */
async function heal(ctx: Ctx, source: FeedSource, entries: Entry[]): Promise<void> {
  await ctx.memory.settled();
  const { items, gone } = await hydrateMatching(ctx, source, entries);
  const belongs = (await source.allowed?.(items)) ?? (() => true);
  const misplaced = [...gone, ...items.filter((item) => !belongs(item)).map(entryOf)];
  if (misplaced.length > 0) await source.heal?.(misplaced.map(({ id }) => tweetId(id)));
}

/**
 * Leaves out each retweet whose original, or an earlier retweet of it, is among the next older items.
 * Only older items decide, so new items never change the rest of a list. Unless the list is at its end, stops
 * before the first retweet that the items cannot decide yet.
 */
export function withoutRepeats(items: FeedItem[], isEnd: boolean): FeedItem[] {
  const shown: FeedItem[] = [];
  for (const [index, item] of items.entries()) {
    if (item.retweet !== undefined) {
      const older = items.slice(index + 1, index + 1 + repeatDistance);
      if (older.some(({ tweet }) => tweet.id === item.tweet.id)) continue;
      if (!isEnd && older.length < repeatDistance) break;
    }
    shown.push(item);
  }
  return shown;
}
