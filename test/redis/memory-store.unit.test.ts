import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Link } from "../../src/redis/memory/links.ts";
import { MemoryStore } from "../../src/redis/memory/store.ts";

const link = {} as Link;
const reading = {};
const kept = { name: reading, value: "value", reply: "reply", until: Infinity };

describe("the store of a memory", () => {
  let store: MemoryStore;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["performance"] });
    store = new MemoryStore(100_000, 60_000);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function passSeconds(seconds: number): void {
    for (let second = 0; second < seconds; second += 1) {
      vi.advanceTimersByTime(1000);
      store.beat();
    }
  }

  it("a stored value is forgotten a minute after its last read", () => {
    store.keep("unread", link, kept);
    store.keep("read", link, kept);
    passSeconds(50);
    expect(store.find("read", reading, link)).toMatchObject({ value: "value" });
    passSeconds(20);
    expect(store.size().entries).toBe(1);
    passSeconds(50);
    expect(store.size()).toEqual({ entries: 0, bytes: 0 });
  });

  it("a stored value expires with the first end given for its key", () => {
    const later = {};
    store.keep("key", link, { ...kept, until: performance.now() + 5000 });
    store.keep("key", link, { ...kept, name: later });
    passSeconds(4);
    expect(store.find("key", later, link)).toBeDefined();
    passSeconds(1);
    expect(store.find("key", later, link)).toBeUndefined();
    expect(store.find("key", reading, link)).toBeUndefined();
  });

  it("a stored value is valid only for the link that reports its changes", () => {
    const other = {} as Link;
    store.keep("key", link, kept);
    expect(store.find("key", reading, other)).toBeUndefined();
    store.keep("key", other, { ...kept, value: "new" });
    expect(store.find("key", reading, link)).toBeUndefined();
    expect(store.find("key", reading, other)).toMatchObject({ value: "new" });
  });

  it("the readings of one key are bounded, and its changes are still reported", () => {
    const first = store.keep("key", link, kept);
    let told = 0;
    if (first !== undefined) first.listeners = new Set([() => (told += 1)]);
    for (let nth = 0; nth < 20_000; nth += 1) {
      const name = `read in way ${nth}`;
      expect(store.keep("key", link, { ...kept, name, more: name.length })).toBe(first);
      expect(store.find("key", name, link)?.slot).toBe(first);
    }
    expect(first?.others?.size).toBeLessThan(100);
    expect(store.size().bytes).toBeLessThan(5000);
    expect(store.size().bytes).toBeGreaterThan(200);
    expect(told).toBe(0);
    store.forget("key");
    expect(told).toBe(1);
    expect(store.size().bytes).toBe(0);
  });

  it("a memory makes room for new keys, however it has grown", () => {
    for (let nth = 0; nth < 200; nth += 1)
      for (const name of ["one", "two", "three"])
        store.keep(`key ${nth}`, link, { ...kept, name, reply: "x".repeat(1000) });
    const { entries, bytes } = store.size();
    expect(bytes).toBeLessThanOrEqual(100_000);
    expect(entries).toBeLessThan(40);
  });
});
