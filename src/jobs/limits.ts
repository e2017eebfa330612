/** Limits of jobs in milliseconds; only tests shorten them. */
export interface JobLimits {
  /** A job that is silent for this long has failed, and the next one may start. */
  silence: number;
  /** Time for running jobs to finish when the worker closes; after it they go back to the queue. */
  closing: number;
}

export const usualJobLimits: JobLimits = { silence: 120_000, closing: 12_000 };

/** Thrown if the worker had to close while the work was still running. */
export class PutBack extends Error {}

interface Bounds {
  /** Milliseconds without a call of `alive` after which work counts as hung. */
  silence: number;
  /** Aborted when the worker cannot wait any longer. */
  closing: AbortSignal;
  /** True while silence is not the fault of the work. */
  excused(): boolean;
}

/**
 * The result of `work`. Throws if it hangs, and PutBack if the worker must close. Abandoned work may continue
 * in the background: work may run twice at a time.
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
    closing.addEventListener("abort", putBack);
    stop.signal.addEventListener("abort", () => {
      clearInterval(check);
      // Not by the option `signal`: Node.js 20 forgets such removals when it collects garbage.
      closing.removeEventListener("abort", putBack);
    });
  });
  try {
    await Promise.race([letGo, work(alive)]);
  } finally {
    stop.abort();
  }
}
