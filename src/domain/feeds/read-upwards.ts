import type { Ctx } from "../../context.ts";
import { cut, type Page, pageSize } from "../page.ts";
import type { Stamp } from "../stamp.ts";
import { entriesIn, maxRounds, readRound } from "./read-round.ts";
import type { FeedItem, Source, View } from "./types.ts";
import { near, withoutRepeats } from "./dedupe-retweets.ts";

/** A page of the items just newer than `from`, newest first: the same items that reading down shows there. */
export async function readUpwards(
  ctx: Ctx,
  view: View & { from: Stamp },
  source: Source,
): Promise<Page<FeedItem>> {
  const { limit = pageSize, before } = view;
  const bottom = Math.max(view.from, view.after ?? 0);
  /** Oldest first. */
  const items: FeedItem[] = [];
  let below: FeedItem[] | undefined;
  let kept: FeedItem[] = [];
  let cursor: Stamp | undefined = bottom;
  for (let round = 0; round < maxRounds && cursor !== undefined; round += 1) {
    const range = { before, after: cursor, limit: entriesIn(round, limit), upwards: true };
    const { items: more, last } = await readRound(ctx, view, source, range);
    items.push(...more);
    cursor = last?.stamp;
    if (source.dropsRepeats === true && items.slice(0, near).some(isRetweet))
      below ??= await readBelow(ctx, view, source, bottom);
    kept = below === undefined ? items : withoutRepeatsAbove(items, below);
    if (kept.length >= limit) return toPage(kept, limit);
  }
  const page = toPage(kept, limit);
  return cursor === undefined ? page : { ...page, newer: cursor };
}

function isRetweet({ retweet }: FeedItem): boolean {
  return retweet !== undefined;
}

/** The items up to the stamp `top`, as far as they decide which retweets above are repeats. */
async function readBelow(ctx: Ctx, view: View, source: Source, top: Stamp): Promise<FeedItem[]> {
  const items: FeedItem[] = [];
  let before: Stamp | undefined = top + 1;
  for (
    let round = 0;
    round < maxRounds && before !== undefined && items.length < near;
    round += 1
  ) {
    const { items: more, last } = await readRound(ctx, view, source, { before, limit: near });
    items.push(...more);
    before = last?.stamp;
  }
  return items;
}

function withoutRepeatsAbove(ascending: FeedItem[], below: FeedItem[]): FeedItem[] {
  const shown = new Set(withoutRepeats([...ascending.toReversed(), ...below], true));
  return ascending.filter((item) => shown.has(item));
}

function toPage(ascending: FeedItem[], limit: number): Page<FeedItem> {
  const items = cut(ascending, limit, ({ stamp }) => stamp).items.toReversed();
  return { items, older: items.at(-1)?.stamp };
}
