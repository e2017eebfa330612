import type { Ctx } from "../../context.ts";
import { cut, type Page, pageSize } from "../page.ts";
import type { Stamp } from "../stamp.ts";
import { entriesIn, maxRounds, readRound } from "./read-round.ts";
import { readUpwards } from "./read-upwards.ts";
import { withoutRepeats } from "./dedupe-retweets.ts";
import type { FeedItem, Source, View } from "./types.ts";

/**
 * A page, newest first. Filters before it cuts, so that the page is full unless the list ends. With `from`,
 * the page's `newer` is set if there is more above its newest item.
 */
export async function readFeed(ctx: Ctx, view: View, source: Source): Promise<Page<FeedItem>> {
  return view.from === undefined
    ? await readDownwards(ctx, view, source)
    : await readUpwards(ctx, { ...view, from: view.from }, source);
}

async function readDownwards(ctx: Ctx, view: View, source: Source): Promise<Page<FeedItem>> {
  const { limit = pageSize, after = 0 } = view;
  const drops = source.dropsRepeats === true;
  const items: FeedItem[] = [];
  let cursor = view.before;
  for (let round = 0; round < maxRounds; round += 1) {
    // Older items decide what is a repeat, so read past `after`.
    const range = { before: cursor, after: drops ? undefined : view.after };
    const { items: more, last } = await readRound(ctx, view, source, {
      ...range,
      limit: entriesIn(round, limit),
    });
    items.push(...more);
    cursor = last?.stamp;
    const kept = drops ? withoutRepeats(items, last === undefined) : items;
    const isEnd = last === undefined || (kept.at(-1)?.stamp ?? Infinity) <= after;
    if (isEnd || isFull(kept, limit)) return toPage(kept, view, cursor);
  }
  return toPage(drops ? withoutRepeats(items, true) : items, view, cursor);
}

/** Whether there is an older item after the page, where the next page begins. */
function isFull(items: FeedItem[], limit: number): boolean {
  const [edge, last] = [items[limit - 1], items.at(-1)];
  return edge !== undefined && last !== undefined && last.stamp < edge.stamp;
}

function toPage(
  items: FeedItem[],
  { limit = pageSize, after = 0 }: View,
  cursor: Stamp | undefined,
): Page<FeedItem> {
  const newer = after === 0 ? items : items.filter(({ stamp }) => stamp > after);
  const page = cut(newer, limit, (item) => item.stamp);
  // Shows what was read beyond `after`.
  const isBeyond = cursor !== undefined && cursor <= after;
  const rest = isBeyond ? page.items.at(-1)?.stamp : cursor;
  return { items: page.items, older: page.older ?? rest };
}
