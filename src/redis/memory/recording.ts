import { isCurrent, type Slot } from "./store.ts";

/** What something was made of, and so how long it is good. */
export class Recording {
  readonly #inputs = new Set<Slot>();
  readonly #from: number;
  #until = Infinity;
  #isWhole = true;

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

  /** Calls `changed` once something that was read changes; at once, if it has. Not told of time, or of room. */
  onChange(changed: () => void): void {
    const inputs = [...this.#inputs];
    const tell = () => {
      for (const { listeners } of inputs) listeners.delete(tell);
      changed();
    };
    this.stop = () => inputs.forEach(({ listeners }) => listeners.delete(tell));
    if (inputs.every(isCurrent)) for (const { listeners } of inputs) listeners.add(tell);
    else changed();
  }

  /** Ends what `onChange` began. */
  stop: () => void = () => {};

  /** Whether it would be the same now. */
  isGood(now: number): boolean {
    if (!this.#isWhole || now < this.#from || now >= this.#until) return false;
    for (const slot of this.#inputs) if (!isCurrent(slot)) return false;
    return true;
  }
}
