/** Share of the full number of runs of property tests; `npm run test:thorough` sets 1. */
const factor = Number(process.env["PROPERTY_RUNS_FACTOR"] ?? 0.3);

/** Options of fast-check: the share of `full` runs, and of the milliseconds that these may take. */
export function runs(
  full: number,
  milliseconds?: number,
): { numRuns: number; interruptAfterTimeLimit?: number } {
  const numRuns = Math.max(5, Math.ceil(full * factor));
  if (milliseconds === undefined) return { numRuns };
  return { numRuns, interruptAfterTimeLimit: milliseconds * factor };
}
