import { recorded, Recording } from "../../domain/scope.ts";

/** A value that is read again only after one of its inputs has changed. */
export class Watched<Value> {
  readonly #read: () => Promise<Value>;
  readonly #changed: () => void;
  #kept: { value: Value; recording: Recording } | undefined;
  #isStopped = false;

  /** Calls `changed` when an input has changed. `isDue` reports values that end with time. */
  constructor(read: () => Promise<Value>, changed: () => void) {
    this.#read = read;
    this.#changed = changed;
  }

  /** `now` in milliseconds since 1970. After a failed read the value stays due. */
  async get(now: number): Promise<Value> {
    if (this.#kept?.recording.isGood(now) === true) return this.#kept.value;
    this.forget();
    const recording = new Recording(now);
    const value = await recorded(recording, this.#read);
    this.#kept = { value, recording };
    if (!this.#isStopped) recording.onChange(this.#changed);
    return value;
  }

  /** Whether it has to be read again though `changed` was not called. */
  isDue(now: number): boolean {
    return this.#kept?.recording.isDue(now) !== false;
  }

  /** Makes the next `get` read again. */
  forget(): void {
    this.#kept?.recording.stop();
    this.#kept = undefined;
  }

  stop(): void {
    this.#isStopped = true;
    this.#kept?.recording.stop();
  }
}
