import type { Ctx } from "../../context.ts";
import { aside } from "../recorded.ts";
import { bestEffort } from "../outage.ts";
import { tweetId } from "../ids.ts";
import { type Entry, pageSize, type Range } from "../page.ts";
import { listTweets } from "./list-tweets.ts";
import type { Listed, Source, View } from "./read-feed.ts";
import { sightOf } from "./sight.ts";

/** One page may ask this many times for others in the place of what is not to be shown; then it ends short. */
export const maxRounds = 20;

/** Entries read at a time: one more than a page has; where that was not enough, many. */
export function entriesIn(round: number, limit: number): number {
  return 1 + (round === 0 ? limit : Math.max(limit, pageSize));
}

/** What was read of a list at a time. */
export interface Round {
  /** Those to be shown, in the order of reading. */
  items: Listed[];
  /** The last that was read, shown or not; undefined at the end of the list. */
  last: Entry | undefined;
}

/** Reads `range.limit` entries and leaves out what is gone or not to be seen. */
export async function readRound(
  ctx: Ctx,
  view: View,
  source: Source,
  range: Range,
): Promise<Round> {
  const entries = await source.read(range);
  const found = await listTweets(ctx, entries);
  const items = await showItems(ctx, view, { entries, found }, source);
  return { items, last: entries.length < range.limit ? undefined : entries.at(-1) };
}

/** Those of the entries that are to be shown; the others are taken out, but for what is only hidden. */
async function showItems(
  ctx: Ctx,
  { viewer, evenMuted, only = () => true }: View,
  { entries, found }: { entries: Entry[]; found: (Listed | undefined)[] },
  source: Source,
): Promise<Listed[]> {
  const items = found.filter((item) => item !== undefined);
  const [belongs, isSeen] = await Promise.all([
    source.allowed?.(items) ?? (() => true),
    sightOf(ctx, viewer, items, evenMuted),
  ]);

  const gone = entries.filter((_, index) => {
    const item = found[index];
    return item === undefined || !belongs(item);
  });
  if (gone.length > 0 && source.heal !== undefined)
    await bestEffort(aside(async () => source.heal?.(gone.map(({ id }) => tweetId(id)))));
  return items.filter((item) => belongs(item) && isSeen(item) && only(item));
}
