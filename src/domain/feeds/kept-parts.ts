import type { Ctx } from "../../context.ts";
import { pageSize } from "../page.ts";
import { currentScope, type Recording, recordedApart, withoutCachingNow } from "../scope.ts";

interface Part<Subject, Value> {
  subject: Subject;
  value: Value;
  /** Inputs of this part and of those that were made with it. */
  recording: Recording;
}

/** Max parts; the least recently used are dropped. */
const most = 3 * pageSize;
/** Estimated bytes of a part, with its list of inputs. */
const partBytes = 700;

/**
 * Parts of a list that is made again and again. Only parts whose inputs have changed are made anew. For one caller at
 * a time.
 */
export class KeptParts<Subject, Value> {
  readonly #parts = new Map<string, Part<Subject, Value>>();
  readonly #keyOf: (subject: Subject) => string;
  readonly #isSame: (one: Subject, other: Subject) => boolean;

  /** `isSame`: whether a part of one subject is right for another with the same key. */
  constructor(
    keyOf: (subject: Subject) => string,
    isSame: (one: Subject, other: Subject) => boolean,
  ) {
    this.#keyOf = keyOf;
    this.#isSame = isSame;
  }

  /** The parts of these subjects, in order. `make` makes those that are missing, in order. */
  async read(
    ctx: Ctx,
    subjects: Subject[],
    make: (missing: Subject[]) => Promise<Value[]>,
  ): Promise<Value[]> {
    const page = currentScope.getStore()?.recording;
    if (page === undefined) return await make(subjects);
    const now = withoutCachingNow(ctx);
    const parts = subjects.map((subject) => this.#find(subject, now));
    const missing = subjects.filter((_, nth) => parts[nth] === undefined);
    const recording = page.beside();
    const made = missing.length === 0 ? [] : await recordedApart(recording, () => make(missing));
    if (missing.length > 0) page.include(recording);
    let next = 0;
    return subjects.map((subject, nth) => {
      const known = parts[nth];
      if (known !== undefined) page.include(known.recording);
      const part = known ?? { subject, value: made[next++] as Value, recording };
      this.#keep(part);
      return part.value;
    });
  }

  get bytes(): number {
    return this.#parts.size * partBytes;
  }

  #find(subject: Subject, now: number): Part<Subject, Value> | undefined {
    const part = this.#parts.get(this.#keyOf(subject));
    const isGood =
      part !== undefined && this.#isSame(part.subject, subject) && part.recording.isGood(now);
    return isGood ? part : undefined;
  }

  /** Keeps it as the newest. */
  #keep(part: Part<Subject, Value>): void {
    const key = this.#keyOf(part.subject);
    this.#parts.delete(key);
    this.#parts.set(key, part);
    const [oldest] = this.#parts.keys();
    if (this.#parts.size > most && oldest !== undefined) this.#parts.delete(oldest);
  }
}
