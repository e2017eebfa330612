import { isCurrent, type SlotListener, type Slot, stale } from "./store.ts";

/** The inputs of a page, which tell how long it is valid. */
export class Recording {
  readonly #inputs = new Set<Slot>();
  /** Of parts that may be kept for longer than the page. */
  readonly #parts = new Set<Recording>();
  /** `stale.count` when all inputs were current. */
  #goodAt = -1;
  readonly #from: number;
  #until = Infinity;
  #isWhole = true;
  /** When the first of the inputs expires, by performance.now(). */
  #lifetime = Infinity;

  /** `now`: start of its validity, by the site's clock. */
  constructor(now: number) {
    this.#from = now;
  }

  /** Of another part of the same page. */
  beside(): Recording {
    return new Recording(this.#from);
  }

  /** Adds an input; undefined if its changes are not reported. */
  add(slot: Slot | undefined): void {
    this.#goodAt = -1;
    if (slot === undefined) this.spoil();
    else this.#inputs.add(slot);
  }

  /** Adds all inputs of a part. */
  include(part: Recording): void {
    this.#goodAt = -1;
    this.#parts.add(part);
  }

  /** Notes an input that is not recorded. */
  spoil(): void {
    this.#isWhole = false;
    stale.count += 1;
  }

  /** Notes that the recorded answer changes at this time, in milliseconds since 1970. */
  expiresAt(moment: number): void {
    this.#until = Math.min(this.#until, moment);
  }

  /**
   * Calls `listener` when an input changes or is evicted, each time; at once, if one has changed. `isDue` tells of
   * inputs that end with time.
   */
  listen(listener: SlotListener): void {
    for (const slot of this.#inputs) {
      if (!isCurrent(slot)) return listener(false);
      (slot.listeners ??= new Set()).add(listener);
      this.#lifetime = Math.min(this.#lifetime, slot.until);
    }
    for (const part of this.#parts) part.listen(listener);
  }

  /** Ends what `listen` began, except for the inputs of `next`: its `listen` with the same listener goes on. */
  stop(listener: SlotListener, next?: Recording): void {
    for (const slot of this.#inputs)
      if (next === undefined || !next.#has(slot)) slot.listeners?.delete(listener);
    for (const part of this.#parts) part.stop(listener, next);
  }

  /** Whether it must be made again although no input has changed. */
  isDue(now: number): boolean {
    if (!this.#isWhole || now >= this.#until) return true;
    for (const part of this.#parts) if (part.isDue(now)) return true;
    return this.#hasExpired();
  }

  /** Whether it would be the same now. */
  isGood(now: number): boolean {
    if (!this.#isWhole || now < this.#from || now >= this.#until) return false;
    const isKnown = this.#goodAt === stale.count && !this.#hasExpired();
    return isKnown || this.#areCurrent(now);
  }

  #areCurrent(now: number): boolean {
    for (const slot of this.#inputs) {
      if (!isCurrent(slot)) return false;
      this.#lifetime = Math.min(this.#lifetime, slot.until);
    }
    for (const part of this.#parts) {
      if (!part.isGood(now)) return false;
      this.#lifetime = Math.min(this.#lifetime, part.#lifetime);
      this.#until = Math.min(this.#until, part.#until);
    }
    this.#goodAt = stale.count;
    return true;
  }

  #hasExpired(): boolean {
    return this.#lifetime !== Infinity && performance.now() >= this.#lifetime;
  }

  #has(slot: Slot): boolean {
    if (this.#inputs.has(slot)) return true;
    for (const part of this.#parts) if (part.#has(slot)) return true;
    return false;
  }
}
