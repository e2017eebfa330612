import { setImmediate as othersTurn } from "node:timers/promises";

/** Characters or bytes that are read before others have their turn. */
const atOnce = 200_000;
/** What each thing that is read counts, beside its length. */
const each = 1000;

/** Lets the other work of this process go on while a long file is read. */
export class Turns {
  #read = 0;

  /** Call it for each thing that is read. `length`: its characters or bytes. */
  async take(length: number): Promise<void> {
    this.#read += each + length;
    if (this.#read < atOnce) return;
    this.#read = 0;
    await othersTurn();
  }
}
