import { LRUCache } from "lru-cache";
import type { Link } from "./link.ts";

/** What nothing has asked for in this time is forgotten. */
const idleMilliseconds = 60_000;
/** Of an entry's key, objects and place in the maps. */
const entryBytes = 200;
/** Of each value's place among those of its key. */
const valueBytes = 100;
/** The part of all bytes that one key may take. */
const share = 1 / 20;

/** `isEvicted`: the slot made room for others; nothing is known to have changed. */
export type Listener = (isEvicted: boolean) => void;

/** What is known of one key. */
export interface Slot {
  /** True from the moment at which the key may have changed: what was made of it counts no more. */
  isGone: boolean;
  /** Called then. While there is one, the slot is in use. */
  listeners: Set<Listener>;
  /** Which link tells of changes. */
  link: Link;
  /** The values that were made of the key, by the way of reading, or the words of a command. */
  kept: Map<object | string, unknown>;
  bytes: number;
  /** The end of the key in Redis, as `performance.now()` will tell it. */
  until: number;
  usedAt: number;
}

/** Of slots that are gone. */
const noValues: Slot["kept"] = new Map();
const noListeners: Slot["listeners"] = new Set();

export interface Keeping {
  /** Under which it is found again. */
  name: object | string;
  value: unknown;
  /** What Redis answered. */
  reply: unknown;
  until: number;
  /** Bytes beside those of the reply. */
  more?: number | undefined;
}

/** The values that are known, by key and by the way in which each was read; at most so many bytes. */
export class Store {
  /** In a box that is new whenever the slot has grown: the size of one and the same object is taken once. */
  readonly #slots: LRUCache<string, { slot: Slot }>;
  readonly #keyBytes: number;
  #now = performance.now();

  constructor(maxBytes: number) {
    this.#keyBytes = Math.max(1, Math.ceil(maxBytes * share));
    this.#slots = new LRUCache({
      maxSize: maxBytes,
      maxEntrySize: this.#keyBytes,
      sizeCalculation: ({ slot }) => slot.bytes,
      noDisposeOnSet: true,
      dispose({ slot }, _key, reason) {
        const { listeners } = slot;
        // Finished pages may hold it for long: it is to be small.
        Object.assign(slot, { isGone: true, kept: noValues, listeners: noListeners });
        for (const listener of listeners) listener(reason === "evict");
      },
    });
  }

  /** Undefined where nothing is known. */
  find(key: string, name: object | string, link: Link): { slot: Slot; value: unknown } | undefined {
    const slot = this.#slots.get(key)?.slot;
    if (slot === undefined || slot.link !== link || !isCurrent(slot)) return undefined;
    slot.usedAt = this.#now;
    const value = slot.kept.get(name);
    return value === undefined ? undefined : { slot, value };
  }

  /** Undefined where there is no room for it. */
  keep(
    key: string,
    link: Link,
    { name, value, reply, until, more = 0 }: Keeping,
  ): Slot | undefined {
    const known = this.#slots.peek(key)?.slot;
    if (known !== undefined && (known.link !== link || !isCurrent(known))) this.forget(key);
    const bare = entryBytes + 2 * key.length;
    const slot = this.#slots.peek(key)?.slot ?? {
      isGone: false,
      listeners: new Set(),
      link,
      kept: new Map(),
      bytes: bare,
      until: Infinity,
      usedAt: this.#now,
    };
    const added = valueBytes + bytesOf(reply) + more;
    // Read in very many ways: the values go, and the slot goes on telling of changes.
    if (slot.bytes + added > this.#keyBytes) {
      slot.kept.clear();
      slot.bytes = bare;
    }
    slot.bytes += added;
    slot.until = Math.min(until, slot.until);
    slot.kept.set(name, value);
    this.#slots.set(key, { slot });
    return this.#slots.peek(key)?.slot === slot ? slot : undefined;
  }

  forget(key: string): void {
    this.#slots.delete(key);
  }

  forgetAll(): void {
    this.#slots.clear();
  }

  /** To be called once a second: forgets what nothing has asked for. The oldest come first. */
  beat(): void {
    this.#now = performance.now();
    for (;;) {
      const key = this.#slots.rkeys().next().value;
      const oldest = key === undefined ? undefined : this.#slots.peek(key)?.slot;
      if (key === undefined || oldest === undefined) return;
      if (this.#now - oldest.usedAt < idleMilliseconds) return;
      if (oldest.listeners.size === 0) this.#slots.delete(key);
      else this.#touch(key, oldest);
    }
  }

  /** Makes it the one that was used last. */
  #touch(key: string, slot: Slot): void {
    slot.usedAt = this.#now;
    this.#slots.get(key);
  }

  size(): { entries: number; bytes: number } {
    return { entries: this.#slots.size, bytes: this.#slots.calculatedSize };
  }
}

/** Whether what was made of a key still counts. */
export function isCurrent({ isGone, until }: Slot): boolean {
  return !isGone && (until === Infinity || performance.now() < until);
}

/** About how much room a reply takes once it is parsed. */
function bytesOf(reply: unknown): number {
  if (typeof reply === "string") return 40 + reply.length;
  if (!Array.isArray(reply)) return 16;
  return reply.reduce((sum: number, part) => sum + bytesOf(part), 32);
}
