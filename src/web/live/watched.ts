import { recorded, Recording } from "../../domain/scope.ts";

/** A value that is read again only after one of its inputs has changed. */
export class Watched<Value> {
  readonly #read: () => Promise<Value>;
  readonly #listener: (isEvicted: boolean) => void;
  #kept: { value: Value; recording: Recording } | undefined;
  #hasChanged = false;
  #isStopped = false;

  /** Calls `changed` when an input has changed. `isDue` reports values that end with time. */
  constructor(read: () => Promise<Value>, changed: () => void) {
    this.#read = read;
    this.#listener = (isEvicted) => {
      if (isEvicted) this.#kept?.recording.spoil();
      else if (!this.#hasChanged) {
        this.#hasChanged = true;
        changed();
      }
    };
  }

  /**
   * `now` in milliseconds since 1970. A promise only if the value has to be read: a look at a page waits for little,
   * and there are thousands of pages. After a failed read the value stays due.
   */
  get(now: number): Value | Promise<Value> {
    if (this.#kept === undefined || this.#hasChanged || this.#kept.recording.isDue(now))
      return this.#readAgain(now);
    return this.#kept.value;
  }

  async #readAgain(now: number): Promise<Value> {
    const before = this.#kept?.recording;
    this.#kept = undefined;
    const recording = new Recording(now);
    try {
      const value = await recorded(recording, this.#read);
      this.#kept = { value, recording };
      this.#hasChanged = false;
      if (!this.#isStopped) recording.listen(this.#listener);
      return value;
    } finally {
      // Most inputs are the same: the listener stays with them.
      before?.stop(this.#listener, this.#isStopped ? undefined : this.#kept?.recording);
    }
  }

  /** Whether it has to be read again though `changed` was not called. */
  isDue(now: number): boolean {
    return this.#kept?.recording.isDue(now) !== false;
  }

  /** Makes the next `get` read again. */
  forget(): void {
    this.#kept?.recording.stop(this.#listener);
    this.#kept = undefined;
  }

  stop(): void {
    this.#isStopped = true;
    this.#kept?.recording.stop(this.#listener);
  }
}
