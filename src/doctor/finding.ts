/** Something that is wrong, as the doctor reports it. */
export interface Finding {
  /** Its group, such as "follow-mirror". */
  kind: string;
  key: string;
  detail: string;
  /** What --repair does, or did; "needs a decision" if it cannot be repaired automatically. */
  repair: string;
  /** With --repair: whether it is right now. */
  repaired?: boolean;
}

export const needsDecision = "needs a decision";

/**
 * Something that looked wrong in the first look. Only what a second look still finds wrong is a finding: the
 * site changes its data meanwhile.
 */
export interface Suspicion {
  kind: string;
  key: string;
  /** The part of the key, if several parts can be wrong in the same way. */
  member?: string;
  /** Jobs that will settle it while they wait or run, in the form of pending.ts. */
  jobs?: readonly string[];
  /** Reads it again; returns what is wrong, or undefined. `pending`: all jobs, in the same form. */
  look(pending: ReadonlySet<string>): Promise<string | undefined>;
  /** Description of `mend`. */
  repair: string;
  /** Compares before it changes anything, and may run twice. Without it, the finding needs a decision. */
  mend?(): Promise<unknown>;
}
