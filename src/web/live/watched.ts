import { recorded, Recording } from "../../domain/recorded.ts";

/** A value that is read again only once something that it was made of has changed. */
export class Watched<Value> {
  readonly #read: () => Promise<Value>;
  readonly #changed: () => void;
  #kept: { value: Value; recording: Recording } | undefined;
  #isStopped = false;

  /** `changed` is called when the value may have changed; what ends with time is for `isDue` to tell. */
  constructor(read: () => Promise<Value>, changed: () => void) {
    this.#read = read;
    this.#changed = changed;
  }

  /** `now` in milliseconds since 1970. What fails is due again. */
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

  /** It is read again the next time, and due until then. */
  forget(): void {
    this.#kept?.recording.stop();
    this.#kept = undefined;
  }

  stop(): void {
    this.#isStopped = true;
    this.#kept?.recording.stop();
  }
}
