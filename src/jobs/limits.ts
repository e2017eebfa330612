/** Limits of jobs in milliseconds; tests alone shorten them. */
export interface Limits {
  /** A job that says nothing for this long has failed, and its place is free again. */
  silence: number;
  /** What running jobs get to finish when the worker closes; then they go back to the queue. */
  closing: number;
}

export const usualLimits: Limits = { silence: 120_000, closing: 12_000 };

/** Thrown instead of the outcome of work that was still running when the worker had to close. */
export class PutBack extends Error {}

export interface Bounds {
  /** Milliseconds without a call of `alive` after which work counts as hung. */
  silence: number;
  /** Aborted when the worker cannot wait any longer. */
  closing: AbortSignal;
  /** True while silence is no fault of the work. */
  excused(): boolean;
}

/**
 * The outcome of `work`. Throws if it hangs, and PutBack if the worker must close. What it let go of
 * may go on behind its back: work may run twice at a time.
 */
export async function withinLimits(
  { silence, closing, excused }: Bounds,
  work: (alive: () => void) => Promise<void>,
): Promise<void> {
  let heardAt = performance.now();
  const alive = () => void (heardAt = performance.now());
  const stop = new AbortController();
  const letGo = new Promise<never>((_, reject) => {
    const check = setInterval(() => {
      if (excused()) alive();
      else if (performance.now() - heardAt > silence)
        reject(new Error(`hung: nothing done for ${silence / 1000} s`));
    }, silence / 8);
    const putBack = () => reject(new PutBack("the worker closes"));
    closing.addEventListener("abort", putBack, { once: true, signal: stop.signal });
    stop.signal.addEventListener("abort", () => clearInterval(check));
  });
  try {
    await Promise.race([letGo, work(alive)]);
  } finally {
    stop.abort();
  }
}
