import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Turns } from "../../../src/web/live/turns.ts";

interface Item {
  taken: number;
}

/** What a turn asks for is in memory: nothing is waited for. */
const take = async (item: Item) => {
  item.taken += 1;
};

describe("turns", () => {
  it("are given to all who ask, once, however often they ask before", async () => {
    const turns = new Turns(take);
    const items = Array.from({ length: 100 }, () => ({ taken: 0 }));
    for (const item of [...items, ...items]) turns.ask(item);
    while (items.some(({ taken }) => taken === 0)) await sleep(1);
    await sleep(400);
    expect(items.map(({ taken }) => taken)).toEqual(items.map(() => 1));
  });

  it("come again to those who ask while they rest, once, and not before they have rested", async () => {
    const turns = new Turns(take);
    const item = { taken: 0 };
    turns.ask(item);
    while (item.taken === 0) await new Promise((resolve) => setImmediate(resolve));
    const takenAt = performance.now();
    turns.ask(item);
    turns.ask(item);
    while (item.taken === 1) await new Promise((resolve) => setImmediate(resolve));
    expect(performance.now() - takenAt).toBeGreaterThan(200);
    await sleep(400);
    expect(item.taken).toBe(2);
  });

  it("leave the process to others in between", async () => {
    const turns = new Turns(take);
    const items = Array.from({ length: 500 }, () => ({ taken: 0 }));
    for (const item of items) turns.ask(item);
    const taken = () => items.filter((one) => one.taken > 0).length;
    let most = 0;
    for (let before = 0; before < items.length; before = taken()) {
      await new Promise((resolve) => setImmediate(resolve));
      most = Math.max(most, taken() - before);
    }
    expect(most).toBeLessThanOrEqual(16);
  });
});
