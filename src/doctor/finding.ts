/** What the doctor tells of one thing that is wrong. */
export interface Finding {
  /** Of which group it is, such as "follow-mirror". */
  kind: string;
  key: string;
  detail: string;
  /** What --repair does, or did; "needs a decision" where it leaves the thing alone. */
  repair: string;
  /** With --repair: whether it is right now. */
  repaired?: boolean;
}

export const needsDecision = "needs a decision";

/**
 * Something that looked wrong when it was read, in passing. Only what a second look still shows wrong
 * is a finding: others change things meanwhile.
 */
export interface Suspicion {
  kind: string;
  key: string;
  /** What of the key, where several things of it can be wrong in one way. */
  member?: string;
  /** Jobs that will settle it while they wait or run, as spelled in pending.ts. */
  jobs?: readonly string[];
  /** Reads it anew; what is wrong with it, or undefined. `pending` are all jobs as above. */
  look(pending: ReadonlySet<string>): Promise<string | undefined>;
  /** In words, what `mend` does. */
  repair: string;
  /** Compares before it changes anything, and may run twice. Without one it needs a decision. */
  mend?(): Promise<unknown>;
}
