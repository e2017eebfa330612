import { isCurrent, type Listener, type Slot } from "./store.ts";

/** What something was made of, and so how long it is good. */
export class Recording {
  readonly #inputs = new Set<Slot>();
  readonly #from: number;
  #until = Infinity;
  #isWhole = true;
  /** The first end of a key that was read, by performance.now(). */
  #lifetime = Infinity;
  #listener: Listener | undefined;

  /** From then on it is good, by the site's clock. */
  constructor(now: number) {
    this.#from = now;
  }

  /** One thing that was read; undefined where nothing will tell that it changes. */
  add(slot: Slot | undefined): void {
    if (slot === undefined) this.#isWhole = false;
    else this.#inputs.add(slot);
  }

  /** It was made of something that is not recorded. */
  spoil(): void {
    this.#isWhole = false;
  }

  /** At that moment, in milliseconds since 1970, it would read otherwise. */
  goodUntil(moment: number): void {
    this.#until = Math.min(this.#until, moment);
  }

  /**
   * Calls `changed` once something that was read changes; at once, if it has. What ends otherwise (at its time, or
   * to make room) is for `isDue` to tell.
   */
  onChange(changed: () => void): void {
    let isTold = false;
    this.#listener = (isEvicted) => {
      if (isEvicted) this.#isWhole = false;
      else if (!isTold) {
        isTold = true;
        changed();
      }
    };
    for (const slot of this.#inputs) {
      if (!isCurrent(slot)) return this.#listener(false);
      slot.listeners.add(this.#listener);
      this.#lifetime = Math.min(this.#lifetime, slot.until);
    }
  }

  /** Ends what `onChange` began. */
  stop(): void {
    if (this.#listener === undefined) return;
    for (const { listeners } of this.#inputs) listeners.delete(this.#listener);
  }

  /** Whether it has to be made anew though `onChange` did not say so. */
  isDue(now: number): boolean {
    if (!this.#isWhole || now >= this.#until) return true;
    return this.#lifetime !== Infinity && performance.now() >= this.#lifetime;
  }

  /** Whether it would be the same now. */
  isGood(now: number): boolean {
    if (!this.#isWhole || now < this.#from || now >= this.#until) return false;
    for (const slot of this.#inputs) if (!isCurrent(slot)) return false;
    return true;
  }
}
