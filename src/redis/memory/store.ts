import { LRUCache } from "lru-cache";
import type { Link } from "./link.ts";

/** What nothing has asked for in this time is forgotten. */
const idleMilliseconds = 60_000;
/** Of an entry's key, objects and place in the maps. */
const entryBytes = 200;

/** One of the values that were made of a key. */
interface Kept {
  /** The way of reading, or the words of a command. */
  name: object | string;
  value: unknown;
}

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
  kept: Kept[];
  bytes: number;
  /** The end of the key in Redis, as `performance.now()` will tell it. */
  until: number;
  usedAt: number;
}

export interface Keeping extends Kept {
  /** What Redis answered. */
  reply: unknown;
  until: number;
  /** Bytes beside those of the reply. */
  more?: number | undefined;
}

/** The values that are known, by key and by the way in which each was read; at most so many bytes. */
export class Store {
  readonly #slots: LRUCache<string, Slot>;
  #now = performance.now();

  constructor(maxBytes: number) {
    this.#slots = new LRUCache({
      maxSize: maxBytes,
      maxEntrySize: Math.max(1, Math.ceil(maxBytes / 20)),
      sizeCalculation: ({ bytes }) => bytes,
      dispose(slot, _key, reason) {
        slot.isGone = true;
        slot.kept = [];
        for (const listener of slot.listeners) listener(reason === "evict");
        slot.listeners.clear();
      },
    });
  }

  /** Undefined where nothing is known. */
  find(key: string, name: object | string, link: Link): { slot: Slot; value: unknown } | undefined {
    const slot = this.#slots.get(key);
    if (slot === undefined || slot.link !== link || !isCurrent(slot)) return undefined;
    slot.usedAt = this.#now;
    const kept = slot.kept.find((one) => one.name === name);
    return kept && { slot, value: kept.value };
  }

  /** Undefined where there is no room for it. */
  keep(
    key: string,
    link: Link,
    { name, value, reply, until, more = 0 }: Keeping,
  ): Slot | undefined {
    const known = this.#slots.peek(key);
    if (known !== undefined && (known.link !== link || !isCurrent(known))) this.forget(key);
    const slot = this.#slots.peek(key) ?? {
      isGone: false,
      listeners: new Set(),
      link,
      kept: [],
      bytes: entryBytes + 2 * key.length,
      until: Infinity,
      usedAt: this.#now,
    };
    slot.bytes += bytesOf(reply) + more;
    slot.until = Math.min(until, slot.until);
    slot.kept.push({ name, value });
    this.#slots.set(key, slot);
    return this.#slots.peek(key) === slot ? slot : undefined;
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
      const oldest = key === undefined ? undefined : this.#slots.peek(key);
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
