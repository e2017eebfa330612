import type { Ctx } from "../../context.ts";
import { currentScope, type Recording, recordedApart, withoutCachingNow } from "../scope.ts";

interface Part<Subject, Value> {
  subject: Subject;
  value: Value;
  /** Inputs of this part and of those that were made with it. */
  recording: Recording;
}

/** Estimated bytes of a part, and of a list of inputs. */
const bytesOf = { part: 150, inputs: 600 } as const;
/** So often parts are added; then all are made together, and share one list of inputs again. */
const most = 16;

/**
 * Parts of a list that is made again and again. Only parts whose inputs have changed are made anew. Those of the last
 * two readings are kept: a list may take two to be full.
 */
export class KeptParts<Subject, Value> {
  #parts = new Map<string, Part<Subject, Value>>();
  #former = this.#parts;
  /** Times that parts were made since all were made together. */
  #made = 0;
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
    const keys = subjects.map(this.#keyOf);
    const isLast = this.#made >= most;
    const goodParts = keys.map((key, nth) =>
      isLast ? undefined : this.#find(key, subjects[nth], now),
    );
    const missing = subjects.filter((_, nth) => goodParts[nth] === undefined);
    if (missing.length > 0) this.#made = missing.length === subjects.length ? 1 : this.#made + 1;
    const recording = page.beside();
    const newValues =
      missing.length === 0 ? [] : await recordedApart(recording, () => make(missing));
    const parts = new Map<string, Part<Subject, Value>>();
    let next = 0;
    const values = subjects.map((subject, nth) => {
      const part = goodParts[nth] ?? { subject, value: newValues[next++] as Value, recording };
      page.include(part.recording);
      parts.set(keys[nth] ?? "", part);
      return part.value;
    });
    [this.#parts, this.#former] = [parts, this.#parts];
    return values;
  }

  get bytes(): number {
    return this.#parts.size * bytesOf.part + this.#made * bytesOf.inputs;
  }

  #find(key: string, subject: Subject | undefined, now: number): Part<Subject, Value> | undefined {
    const part = this.#parts.get(key) ?? this.#former.get(key);
    if (part === undefined || subject === undefined) return undefined;
    return this.#isSame(part.subject, subject) && part.recording.isGood(now) ? part : undefined;
  }
}
