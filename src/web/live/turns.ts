/** Wake-ups are gathered for this time; milliseconds. */
const gatherMilliseconds = 20;
/** Min time between two turns of one item; milliseconds. */
const restMilliseconds = 250;
/** Items that have their turn at the same time: what they ask Redis goes out together. */
const lanes = 8;

/** An item that asks for a turn gets one soon; asking again before it begins changes nothing. */
export class Turns<Item extends object> {
  readonly #take: (item: Item) => Promise<void>;
  readonly #asked = new Set<Item>();
  /** Items that had a turn a moment ago: whether they have asked again. */
  readonly #resting = new Map<Item, boolean>();
  #running = 0;
  #gathering = false;

  /** `take` never rejects. */
  constructor(take: (item: Item) => Promise<void>) {
    this.#take = take;
  }

  ask(item: Item): void {
    if (this.#resting.has(item)) {
      this.#resting.set(item, true);
      return;
    }
    this.#asked.add(item);
    if (this.#gathering || this.#running > 0) return;
    this.#gathering = true;
    setTimeout(() => this.#begin(), gatherMilliseconds).unref();
  }

  #begin(): void {
    this.#gathering = false;
    for (let lane = 0; lane < lanes; lane += 1) void this.#run();
  }

  async #run(): Promise<void> {
    this.#running += 1;
    for (const item of this.#asked) {
      this.#asked.delete(item);
      this.#resting.set(item, false);
      await this.#take(item);
      setTimeout(() => this.#awake(item), restMilliseconds).unref();
      // Where the memory has all that a turn asks for, it waits for nothing: requests come in between.
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#running -= 1;
  }

  #awake(item: Item): void {
    const hasAsked = this.#resting.get(item) === true;
    this.#resting.delete(item);
    if (hasAsked) this.ask(item);
  }
}
