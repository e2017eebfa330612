import type { Stamp } from "../../domain/stamp.ts";

/** What is delivered later than this after it was written is no news. */
const lateness = 5 * 60 * 1e6;
/** What came so many items ago is known by its stamp alone. */
const mostKnown = 200;

/**
 * What of a list is no news any more. Stamps alone do not tell: what was written first may be delivered
 * last. So from the stamp `since` on items are known by name.
 */
export class Known {
  readonly #names = new Map<string, Stamp>();
  readonly #floor: Stamp;
  #since: Stamp;
  #hasBegun = false;

  /** What is in the list at the first look is news if it is above `floor`. */
  constructor(floor: Stamp) {
    this.#floor = floor;
    this.#since = Math.max(0, floor - lateness);
  }

  /** Nothing up to this stamp is news. */
  get since(): Stamp {
    return this.#since;
  }

  /** So many items above `since` have to be read to find `count` of news; at the first look, of whatever. */
  reach(count: number): number {
    return this.#names.size + (this.#hasBegun ? count : mostKnown);
  }

  isNews(name: string, stamp: Stamp): boolean {
    if (stamp <= this.#since || this.#names.has(name)) return false;
    return this.#hasBegun || stamp > this.#floor;
  }

  /** It is no news from now on. */
  add(name: string, stamp: Stamp): void {
    if (stamp <= this.#since || this.#names.has(name)) return;
    this.#names.set(name, stamp);
    // Seldom, as whoever counts what is above `since` has to count again.
    if (stamp - this.#since > 3 * lateness) this.#forget(stamp - lateness);
    while (this.#names.size > mostKnown) this.#forgetOne();
  }

  /** The list was looked at to its end: whatever comes from now on is new, however old it is. */
  begin(): void {
    this.#hasBegun = true;
  }

  /** Nothing up to this stamp is to be told. */
  skip(until: Stamp): void {
    if (until > this.#since) this.#forget(until);
  }

  #forget(until: Stamp): void {
    this.#since = until;
    for (const [name, stamp] of this.#names) if (stamp <= until) this.#names.delete(name);
  }

  #forgetOne(): void {
    for (const [name, stamp] of this.#names) {
      this.#names.delete(name);
      this.#since = Math.max(this.#since, stamp);
      return;
    }
  }
}
