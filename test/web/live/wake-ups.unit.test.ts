import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { WakeUps } from "../../../src/web/live/wake-ups.ts";

interface Item {
  taken: number;
}

/** What a look asks for is in memory: nothing is waited for. */
const take = async (item: Item) => {
  item.taken += 1;
};

describe("wake-ups", () => {
  it("many wake-ups cause one look", async () => {
    const wakeUps = new WakeUps(take);
    const items = Array.from({ length: 100 }, () => ({ taken: 0 }));
    for (const item of [...items, ...items]) wakeUps.wake(item);
    while (items.some(({ taken }) => taken === 0)) await sleep(1);
    await sleep(400);
    expect(items.map(({ taken }) => taken)).toEqual(items.map(() => 1));
  });

  it("wake-ups during the pause cause one look after it", async () => {
    const times: number[] = [];
    const wakeUps = new WakeUps(async (item: Item) => {
      times.push(performance.now());
      await take(item);
    });
    const item = { taken: 0 };
    wakeUps.wake(item);
    while (item.taken === 0) await new Promise((resolve) => setImmediate(resolve));
    wakeUps.wake(item);
    wakeUps.wake(item);
    while (item.taken === 1) await new Promise((resolve) => setImmediate(resolve));
    const [first = 0, second = 0] = times;
    expect(second - first).toBeGreaterThan(200);
    await sleep(400);
    expect(item.taken).toBe(2);
  });

  it("a look that waits holds up no other", async () => {
    const slow = { taken: 0 };
    const wakeUps = new WakeUps(async (item: Item) => {
      await take(item);
      if (item === slow) await new Promise(() => {});
    });
    wakeUps.wake(slow);
    while (slow.taken === 0) await sleep(1);
    const others = Array.from({ length: 100 }, () => ({ taken: 0 }));
    for (const item of others) wakeUps.wake(item);
    await expect.poll(() => others.every(({ taken }) => taken === 1)).toBe(true);
  });

  it("many looks are taken at once, but never more than 64", async () => {
    let [now, most] = [0, 0];
    const wakeUps = new WakeUps(async (item: Item) => {
      most = Math.max(most, (now += 1));
      await sleep(30);
      await take(item);
      now -= 1;
    });
    const items = Array.from({ length: 300 }, () => ({ taken: 0 }));
    for (const [nth, item] of items.entries()) {
      wakeUps.wake(item);
      if (nth % 100 === 0) await sleep(10);
    }
    await expect.poll(() => items.every(({ taken }) => taken === 1)).toBe(true);
    expect(most).toBe(64);
  });

  it("wake-ups let other work run in between", async () => {
    const wakeUps = new WakeUps(take);
    const items = Array.from({ length: 500 }, () => ({ taken: 0 }));
    for (const item of items) wakeUps.wake(item);
    const taken = () => items.filter((one) => one.taken > 0).length;
    let most = 0;
    for (let before = 0; before < items.length; before = taken()) {
      await new Promise((resolve) => setImmediate(resolve));
      most = Math.max(most, taken() - before);
    }
    expect(most).toBeLessThanOrEqual(64);
  });
});
