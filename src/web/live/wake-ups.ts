/** Milliseconds for which wake-ups are gathered. */
const gatherMilliseconds = 5;
/** Min time between two looks at one item; milliseconds. */
const restMilliseconds = 250;
/** Max looks at the same time; their commands to Redis are sent together. */
const lanes = 64;

/** An item that is woken is looked at soon; waking it again before that changes nothing. */
export class WakeUps<Item extends object> {
  readonly #look: (item: Item) => Promise<void>;
  readonly #woken = new Set<Item>();
  /** Items that were looked at a moment ago: whether they were woken again. */
  readonly #resting = new Map<Item, boolean>();
  #running = 0;
  #gathering = false;

  /** `look` never rejects. */
  constructor(look: (item: Item) => Promise<void>) {
    this.#look = look;
  }

  wake(item: Item): void {
    if (this.#resting.has(item)) {
      this.#resting.set(item, true);
      return;
    }
    this.#woken.add(item);
    if (this.#gathering || this.#running >= lanes) return;
    this.#gathering = true;
    setTimeout(() => this.#begin(), gatherMilliseconds).unref();
  }

  #begin(): void {
    this.#gathering = false;
    for (let lane = this.#running; lane < lanes; lane += 1) void this.#run();
  }

  async #run(): Promise<void> {
    this.#running += 1;
    for (const item of this.#woken) {
      this.#woken.delete(item);
      this.#resting.set(item, false);
      await this.#look(item);
      setTimeout(() => this.#endRest(item), restMilliseconds).unref();
      // If the memory has all data, a look never waits. So that requests are handled in between:
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#running -= 1;
  }

  #endRest(item: Item): void {
    const isWoken = this.#resting.get(item) === true;
    this.#resting.delete(item);
    if (isWoken) this.wake(item);
  }
}
