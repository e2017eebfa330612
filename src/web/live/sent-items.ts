import type { Page } from "../../domain/page.ts";
import type { Stamp } from "../../domain/ids.ts";

/** Max time between writing and delivery; items that arrive later are not sent. */
const maxDelay = 5 * 60 * 1e6;
/** Max items kept by name; older ones count as sent. */
const maxKept = 200;
/** Max items of a list in one update; the next one goes on, once the client has taken them. */
const sentAtOnce = 20;

/**
 * The items of a list that a client was sent, or does not need. Stamps alone cannot tell, as the first written may
 * be the last delivered. So items above the stamp `since` are kept by name.
 */
export class SentItems {
  readonly #names = new Map<string, Stamp>();
  readonly #floor: Stamp;
  #since: Stamp;
  #hasBegun = false;

  /** Items above `floor` are new at the first look. */
  constructor(floor: Stamp) {
    this.#floor = floor;
    this.#since = Math.max(0, floor - maxDelay);
  }

  /** Items up to this stamp are not new. */
  get since(): Stamp {
    return this.#since;
  }

  /** Number of items above `since` that must be read to find `count` new ones. At the first look, any may be old. */
  limitFor(count: number): number {
    return this.#names.size + (this.#hasBegun ? count : maxKept);
  }

  isNew(name: string, stamp: Stamp): boolean {
    if (stamp <= this.#since || this.#names.has(name)) return false;
    return this.#hasBegun || stamp > this.#floor;
  }

  add(name: string, stamp: Stamp): void {
    if (stamp <= this.#since || this.#names.has(name)) return;
    this.#names.set(name, stamp);
    // Rarely, as a change of `since` changes what has to be read.
    if (stamp - this.#since > 3 * maxDelay) this.#forget(stamp - maxDelay);
    const [oldest] = this.#names;
    if (oldest === undefined || this.#names.size <= maxKept) return;
    this.#names.delete(oldest[0]);
    this.#since = Math.max(this.#since, oldest[1]);
  }

  /** The list was read to its end: items that appear from now on are new, however old they are. */
  begin(): void {
    this.#hasBegun = true;
  }

  /** Items up to this stamp are not sent. */
  skip(until: Stamp): void {
    if (until > this.#since) this.#forget(until);
  }

  #forget(until: Stamp): void {
    this.#since = until;
    for (const [name, stamp] of this.#names) if (stamp <= until) this.#names.delete(name);
  }
}

interface List<Item> {
  read(range: { from: Stamp; limit: number }): Promise<Page<Item>>;
  nameOf(item: Item): { id: string; stamp: Stamp };
  send(items: Item[]): Promise<void>;
}

/** Sends the new items of a list, oldest first. Returns whether all are sent. */
export async function sendNew<Item>(sent: SentItems, list: List<Item>): Promise<boolean> {
  const limit = sent.limitFor(sentAtOnce);
  const { items, newer } = await list.read({ from: sent.since, limit });
  const news: Item[] = [];
  for (const item of items.toReversed()) {
    const { id, stamp } = list.nameOf(item);
    if (sent.isNew(id, stamp)) news.push(item);
    else sent.add(id, stamp);
  }
  const next = news.slice(0, sentAtOnce);
  await list.send(next);
  for (const { id, stamp } of next.map(list.nameOf)) sent.add(id, stamp);
  if (next.length < news.length) return false;
  // Only hidden items up to here: the next ones are above.
  if (newer !== undefined && news.length === 0) sent.skip(newer);
  const isWhole = newer === undefined && items.length < limit;
  if (isWhole) sent.begin();
  return isWhole;
}
