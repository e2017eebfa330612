import type { Ctx } from "../../context.ts";
import { aside } from "../recorded.ts";
import { bestEffort } from "../outage.ts";
import { tweetId } from "../ids.ts";
import { type Entry, pageSize, type Range } from "../page.ts";
import { hydrate } from "./hydrate.ts";
import type { FeedItem, Source, View } from "./types.ts";
import { visibleItems } from "./tweet-visibility.ts";

/** Max rounds of reading that replace hidden items on one page; after that the page stays short. */
export const maxRounds = 20;

/** Entries read at a time: one more than a page; many more if that was not enough. */
export function entriesIn(round: number, limit: number): number {
  return 1 + (round === 0 ? limit : Math.max(limit, pageSize));
}

/** One read of a list. */
export interface Round {
  /** The visible items, in reading order. */
  items: FeedItem[];
  /** The last entry that was read, visible or not; undefined at the end of the list. */
  last: Entry | undefined;
}

/** Reads `range.limit` entries, without those that are deleted or not visible to the viewer. Heals the list. */
export async function readRound(
  ctx: Ctx,
  { viewer, evenMuted, only = () => true }: View,
  source: Source,
  range: Range,
): Promise<Round> {
  const entries = await source.read(range);
  const { items, gone } = await hydrate(ctx, entries);
  const [belongs, visible] = await Promise.all([
    source.allowed?.(items) ?? (() => true),
    visibleItems(ctx, viewer, items, evenMuted),
  ]);
  const foreign = items
    .filter((item) => !belongs(item))
    .map(({ tweet, retweet }) => retweet ?? tweet);
  const misplaced = [...gone, ...foreign].map(({ id }) => tweetId(id));
  if (misplaced.length > 0 && source.heal !== undefined)
    await bestEffort(aside(async () => source.heal?.(misplaced)));
  return {
    items: visible.filter((item) => belongs(item) && only(item)),
    last: entries.length < range.limit ? undefined : entries.at(-1),
  };
}
