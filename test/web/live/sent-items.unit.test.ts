import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SentItems, sendNew } from "../../../src/web/live/sent-items.ts";

const second = 1e6;
const start = 1_000_000 * second;

/** Items that were written one a second and came in up to four minutes late, look by look. */
const arrivals = fc.array(
  fc.array(fc.record({ nth: fc.nat(2000), late: fc.nat(240) }), { maxLength: 12 }),
  { maxLength: 16 },
);

describe("sent items", () => {
  it("sent items are reported once each, in any order and however often they are read", () => {
    fc.assert(
      fc.property(arrivals, (looks) => {
        const known = new SentItems(start);
        known.begin();
        const list = new Map<string, number>();
        const told: string[] = [];
        for (const [nth, look] of looks.entries()) {
          for (const { nth: name, late } of look)
            if (!list.has(String(name)))
              list.set(String(name), start + (300 + nth - late) * second + name);
          for (const [name, stamp] of list) {
            if (stamp <= known.since || !known.isNew(name, stamp)) continue;
            told.push(name);
            known.add(name, stamp);
          }
        }
        expect(told.toSorted()).toEqual([...list.keys()].toSorted());
      }),
    );
  });

  it("sent items include those at the start, but not those that arrived since the last visit", () => {
    const known = new SentItems(start);
    expect(known.isNew("before", start)).toBe(false);
    expect(known.isNew("after", start + 1)).toBe(true);
    known.add("before", start);
    known.add("after", start + 1);
    known.begin();
    expect(known.isNew("before", start)).toBe(false);
    expect(known.isNew("late", start - 1)).toBe(true);
  });

  it("sent items are bounded, and nothing older is reported as new", () => {
    const known = new SentItems(start);
    known.begin();
    for (let nth = 1; nth <= 1000; nth += 1) known.add(String(nth), start + nth);
    expect(known.limitFor(0)).toBe(200);
    expect(known.since).toBe(start + 800);
    expect(known.isNew("unknown", start + 800)).toBe(false);
  });

  it("many new items are sent twenty at a time, oldest first, each once", async () => {
    const known = new SentItems(start);
    const all = Array.from({ length: 45 }, (_, nth) => ({
      id: String(nth),
      stamp: start + nth + 1,
    }));
    const sent: (typeof all)[] = [];
    const list = {
      read: async ({ from, limit }: { from: number; limit: number }) => {
        const above = all.filter(({ stamp }) => stamp > from);
        return { items: above.slice(0, limit).toReversed(), older: undefined };
      },
      nameOf: (item: (typeof all)[number]) => item,
      send: async (items: typeof all) => void sent.push(items),
    };
    const isSent = [];
    for (let nth = 0; nth < 3; nth += 1) isSent.push(await sendNew(known, list));
    expect(isSent).toEqual([false, false, true]);
    expect(sent.map(({ length }) => length)).toEqual([20, 20, 5]);
    expect(sent.flat()).toEqual(all);
  });
});
