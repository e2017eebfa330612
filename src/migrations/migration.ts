import type { Ctx } from "../context.ts";

/** Brings data from the version before to `version`. A file of this folder holds one; it never changes again. */
export interface Migration {
  version: number;
  /** What it does, in a few words, for the log. */
  does: string;
  /**
   * One bounded step, well below 30 s, from where the last one stopped; undefined: from the beginning. Returns
   * where it stopped, or undefined at the end. Each step may run twice, and at the same time in two processes.
   */
  step(ctx: Ctx, cursor: string | undefined): Promise<string | undefined>;
}
