import { LRUCache } from "lru-cache";
import type { Link } from "./link.ts";

/** What nothing has asked for in this time is forgotten. */
const idleMilliseconds = 60_000;
/** Of an entry's key, objects and place in the maps. */
const entryBytes = 200;

/** One of the values that were made of a key. */
interface Kept {
  /** Identity of the way of reading. */
  reading: object;
  value: unknown;
}

interface Slot {
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
    this.#slots = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ bytes }) => bytes });
  }

  /** Undefined where nothing is known. */
  find(key: string, reading: object, link: Link): Kept | undefined {
    const slot = this.#slots.get(key);
    if (slot === undefined || slot.link !== link) return undefined;
    if (slot.until !== Infinity && slot.until <= performance.now()) return undefined;
    slot.usedAt = this.#now;
    return slot.kept.find((one) => one.reading === reading);
  }

  keep(key: string, link: Link, { reading, value, reply, until, more = 0 }: Keeping): void {
    const known = this.#slots.peek(key);
    const others = known?.link === link ? known : undefined;
    const bytes = (others?.bytes ?? entryBytes + 2 * key.length) + bytesOf(reply) + more;
    const kept = [...(others?.kept ?? []), { reading, value }];
    const end = Math.min(until, others?.until ?? Infinity);
    this.#slots.set(key, { link, kept, bytes, until: end, usedAt: this.#now });
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
      const oldest = this.#slots.rvalues().next().value;
      if (oldest === undefined || this.#now - oldest.usedAt < idleMilliseconds) return;
      this.#slots.pop();
    }
  }

  size(): { entries: number; bytes: number } {
    return { entries: this.#slots.size, bytes: this.#slots.calculatedSize };
  }
}

/** About how much room a reply takes once it is parsed. */
function bytesOf(reply: unknown): number {
  if (typeof reply === "string") return 40 + reply.length;
  if (!Array.isArray(reply)) return 16;
  return reply.reduce((sum: number, part) => sum + bytesOf(part), 32);
}
