import { LRUCache } from "lru-cache";
import type { Link } from "./links.ts";

/** Overhead of an entry. */
const entryBytes = 200;
/** Overhead of each value of an entry. */
const valueBytes = 100;
/** Max share of all bytes for one key. */
const share = 1 / 20;

/** `isEvicted`: the slot made room for others; nothing is known to have changed. */
export type SlotListener = (isEvicted: boolean) => void;

/** What is known of one key. */
export interface Slot {
  /** True once the key may have changed: values made of it are invalid. */
  isGone: boolean;
  /** Called once when the slot becomes stale. A slot with a listener is never dropped as idle. Most slots have none. */
  listeners: Set<SlotListener> | undefined;
  /** The link that reports changes. */
  link: Link;
  /** Name of the first value; most keys are read in one way. Undefined: nothing is kept. */
  name: object | string | undefined;
  value: unknown;
  /** Other values by their names. Only if there are some: a Map takes as much memory as all the rest. */
  others: Map<object | string, unknown> | undefined;
  bytes: number;
  /** When the key expires, by performance.now(). */
  until: number;
  usedAt: number;
}

/** Counts what may end the validity of a recording: while it is the same, a valid one still is, unless time ended it. */
export const stale = { count: 0 };

/** Empty values, shared by all slots that keep nothing. */
const nothing = { name: undefined, value: undefined, others: undefined };

interface NewValue {
  /** Name under which it is found: its Reading, or the words of a command. */
  name: object | string;
  value: unknown;
  /** The reply of Redis. */
  reply: unknown;
  until: number;
  /** Bytes beside those of the reply. */
  more?: number | undefined;
}

/** Known values, by key and by how each was read; bounded in bytes. */
export class MemoryStore {
  /** Boxed, with a new box whenever the slot has grown: the cache measures an object only once. */
  readonly #slots: LRUCache<string, { slot: Slot }>;
  readonly #keyBytes: number;
  /** Milliseconds without a read after which an entry is dropped. */
  readonly #idle: number;
  #now = performance.now();

  constructor(maxBytes: number, idle: number) {
    this.#idle = idle;
    this.#keyBytes = Math.max(1, Math.ceil(maxBytes * share));
    this.#slots = new LRUCache({
      maxSize: maxBytes,
      maxEntrySize: this.#keyBytes,
      sizeCalculation: ({ slot }) => slot.bytes,
      noDisposeOnSet: true,
      dispose({ slot }, _key, reason) {
        const { listeners } = slot;
        // Finished pages may hold it for long, so it must be small.
        Object.assign(slot, { isGone: true, listeners: undefined, ...nothing });
        stale.count += 1;
        for (const listener of listeners ?? []) listener(reason === "evict");
      },
    });
  }

  /** Undefined where nothing is known. */
  find(key: string, name: object | string, link: Link): { slot: Slot; value: unknown } | undefined {
    const slot = this.#slots.get(key)?.slot;
    if (slot === undefined || slot.link !== link || !isCurrent(slot)) return undefined;
    slot.usedAt = this.#now;
    const value = slot.name === name ? slot.value : slot.others?.get(name);
    return value === undefined ? undefined : { slot, value };
  }

  /** Undefined where there is no room for it. */
  keep(
    key: string,
    link: Link,
    { name, value, reply, until, more = 0 }: NewValue,
  ): Slot | undefined {
    const current = this.#slots.peek(key)?.slot;
    if (current !== undefined && (current.link !== link || !isCurrent(current))) this.forget(key);
    const bare = entryBytes + 2 * key.length;
    const slot: Slot = this.#slots.peek(key)?.slot ?? {
      isGone: false,
      listeners: undefined,
      link,
      ...nothing,
      bytes: bare,
      until,
      usedAt: this.#now,
    };
    const added = valueBytes + bytesOf(reply) + more;
    // A key that was read in too many ways loses its values, but the slot still reports changes.
    if (slot.bytes + added > this.#keyBytes) Object.assign(slot, nothing, { bytes: bare });
    slot.bytes += added;
    if (until < slot.until) {
      slot.until = until;
      stale.count += 1;
    }
    slot.name ??= name;
    if (slot.name === name) slot.value = value;
    else (slot.others ??= new Map()).set(name, value);
    this.#slots.set(key, { slot });
    return this.#slots.peek(key)?.slot === slot ? slot : undefined;
  }

  forget(key: string): void {
    this.#slots.delete(key);
  }

  forgetAll(): void {
    this.#slots.clear();
  }

  /** Called once a second: drops idle entries, the oldest first. */
  beat(): void {
    this.#now = performance.now();
    for (;;) {
      const key = this.#slots.rkeys().next().value;
      const oldest = key === undefined ? undefined : this.#slots.peek(key)?.slot;
      if (key === undefined || oldest === undefined) return;
      if (this.#now - oldest.usedAt < this.#idle) return;
      if ((oldest.listeners?.size ?? 0) === 0) this.#slots.delete(key);
      // A slot in use becomes the newest.
      else this.#slots.get(key);
      oldest.usedAt = this.#now;
    }
  }

  size(): { entries: number; bytes: number } {
    return { entries: this.#slots.size, bytes: this.#slots.calculatedSize };
  }
}

/** Whether what was made of a key still counts. */
export function isCurrent({ isGone, until }: Slot): boolean {
  return !isGone && (until === Infinity || performance.now() < until);
}

/** Approximate bytes of a parsed reply. */
function bytesOf(reply: unknown): number {
  if (typeof reply === "string") return 40 + reply.length;
  if (!Array.isArray(reply)) return 16;
  return reply.reduce((sum: number, part) => sum + bytesOf(part), 32);
}
