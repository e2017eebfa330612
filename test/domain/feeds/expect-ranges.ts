import * as fc from "fast-check";
import { expect } from "vitest";
import type { Page, ListRange } from "../../../src/domain/page.ts";
import type { Stamp } from "../../../src/domain/ids.ts";
import type { FeedItem } from "../../../src/domain/feeds/types.ts";

/** An item of a list, newest first. */
export interface ShownItem {
  id: string;
  stamp: Stamp;
}

export type ReadRange = (part: ListRange) => Promise<Page<FeedItem>>;

/** Page sizes and bounds for reading a list; a bound is an index into all stamps. */
export const looks = fc.record({
  limit: fc.integer({ min: 1, max: 9 }),
  bounds: fc.array(fc.tuple(fc.nat({ max: 60 }), fc.nat({ max: 60 })), {
    minLength: 1,
    maxLength: 4,
  }),
});

export const shownOf = ({ items }: Page<FeedItem>): ShownItem[] =>
  items.map(({ tweet, retweet, stamp }) => ({ id: (retweet ?? tweet).id, stamp }));

/** A list shows the same however it is read: no page skips or repeats anything. */
export async function expectRanges(
  read: ReadRange,
  list: ShownItem[],
  stamps: Stamp[],
  { limit, bounds }: { limit: number; bounds: [number, number][] },
): Promise<void> {
  expect(await walkDown(read, limit)).toEqual(list);
  expect(await walkUp(read, limit, 0)).toEqual(list);
  const pick = (nth: number) => [0, ...stamps][nth % (stamps.length + 1)] ?? 0;
  for (const [one, other] of bounds) {
    const [low, high] = [Math.min(pick(one), pick(other)), Math.max(pick(one), pick(other))];
    const above = list.filter(({ stamp }) => stamp > low);
    const between = above.filter(({ stamp }) => stamp < high);
    expect(await walkUp(read, limit, low)).toEqual(above);
    const newest = await read({ limit, after: low });
    expect(shownOf(newest)).toEqual(above.slice(0, limit));
    await expectRest(read, list, newest);
    await expectRest(read, list, await read({ limit, from: low }));
    expect(shownOf(await read({ limit, after: low, before: high }))).toEqual(
      between.slice(0, limit),
    );
    expect(shownOf(await read({ limit, from: low, before: high }))).toEqual(between.slice(-limit));
    const page = await read({ limit, before: high });
    const below = list.filter(({ stamp }) => stamp < high);
    expect(shownOf(page)).toEqual(below.slice(0, limit));
  }
}

/** The page after a page leaves nothing out. */
async function expectRest(read: ReadRange, list: ShownItem[], page: Page<FeedItem>): Promise<void> {
  const last = page.items.at(-1);
  if (last === undefined || page.older === undefined) return;
  const below = list.filter(({ stamp }) => stamp < last.stamp);
  expect(shownOf(await read({ limit: 3, before: page.older }))).toEqual(below.slice(0, 3));
}

async function walkDown(read: ReadRange, limit: number): Promise<ShownItem[]> {
  const shown: ShownItem[] = [];
  for (let before: Stamp | undefined; ;) {
    const page = shownOf(await read({ limit, before }));
    shown.push(...page);
    before = page.at(-1)?.stamp;
    if (before === undefined) return shown;
  }
}

async function walkUp(read: ReadRange, limit: number, start: Stamp): Promise<ShownItem[]> {
  const shown: ShownItem[] = [];
  for (let from = start; ;) {
    const page = shownOf(await read({ limit, from }));
    shown.unshift(...page);
    const [newest] = page;
    if (newest === undefined) return shown;
    from = newest.stamp;
  }
}
