import type { Lab } from "./lab.ts";

/** One row of the table in docs/reliability.md: a fault, under a load, and what must hold. */
export interface Drill {
  number: number;
  name: string;
  fault: string;
  /** When it passes, in one line. */
  passes: string;
  /** Max seconds; after that it has failed. */
  seconds: number;
  /** Short enough to run at every check. */
  quick?: boolean;
  /** So long that it runs only when it is named. */
  onlyByName?: boolean;
  /** What goes wrong is told to `lab.report`; throws NotRun where this machine cannot run it. */
  run(lab: Lab): Promise<void>;
}

/** The machine lacks what the drill needs, such as root. It has neither passed nor failed. */
export class NotRun extends Error {
  override name = "NotRun";
}

export type Verdict = "passed" | "failed" | "not run";

/** What a drill found, for people (see row.ts) and as JSON. Times in milliseconds. */
export interface Row {
  number: number;
  name: string;
  fault: string;
  passes: string;
  verdict: Verdict;
  load: string;
  acknowledged: number;
  lost: number;
  duplicated: number;
  longest: number;
  statuses: Record<string, number>;
  recovery: number | undefined;
  seconds: number;
  /** Figures of its own, such as a p95. */
  notes: string[];
  /** Each broken promise. */
  problems: string[];
}
