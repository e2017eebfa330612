import type { Ctx } from "../../context.ts";
import { aside } from "../recorded.ts";
import { bestEffort } from "../outage.ts";
import { tweetId } from "../ids.ts";
import { type Entry, pageSize, type Range } from "../page.ts";
import { hydrate } from "./hydrate.ts";
import type { FeedItem, Source, View } from "./types.ts";
import { visibleItems } from "./tweet-visibility.ts";

/** One page may ask this many times for others in the place of what is not to be shown; then it ends short. */
export const maxRounds = 20;

/** Entries read at a time: one more than a page has; where that was not enough, many. */
export function entriesIn(round: number, limit: number): number {
  return 1 + (round === 0 ? limit : Math.max(limit, pageSize));
}

/** What was read of a list at a time. */
export interface Round {
  /** Those to be shown, in the order of reading. */
  items: FeedItem[];
  /** The last that was read, shown or not; undefined at the end of the list. */
  last: Entry | undefined;
}

/** Reads `range.limit` entries, without those that are deleted or not visible to the viewer; heals the list. */
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
