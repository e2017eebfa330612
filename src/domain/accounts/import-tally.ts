import type { ImportProgress, SkipReason } from "./import-store.ts";
import type { Outcome } from "./import-tweets.ts";

/** Adds the numbers of a part to those before it. */
export class Tally {
  readonly progress: ImportProgress;

  constructor(before: ImportProgress) {
    this.progress = { ...before, skipped: { ...before.skipped } };
  }

  note(outcome: Outcome | "followed" | "tagged" | "muted" | "listed" | SkipReason): void {
    if (outcome.endsWith(" unlisted")) this.progress.unlisted = (this.progress.unlisted ?? 0) + 1;
    if (outcome === "imported" || outcome === "imported unlisted") this.progress.tweets += 1;
    else if (outcome === "followed") this.progress.follows += 1;
    else if (outcome === "tagged") this.progress.tags = (this.progress.tags ?? 0) + 1;
    else if (outcome === "muted") this.progress.words = (this.progress.words ?? 0) + 1;
    else if (outcome === "listed") this.progress.lists = (this.progress.lists ?? 0) + 1;
    else if (outcome === "known" || outcome === "known unlisted") this.progress.known += 1;
    else this.skip(outcome, 1);
  }

  notePictures(shown: number, lost: { reason: SkipReason; count: number }): void {
    this.progress.pictures = (this.progress.pictures ?? 0) + shown;
    if (lost.count > 0) this.skip(lost.reason, lost.count);
  }

  private skip(reason: SkipReason, count: number): void {
    this.progress.skipped[reason] = (this.progress.skipped[reason] ?? 0) + count;
  }
}
