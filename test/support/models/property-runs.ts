/** Share of the full number of runs of property tests; `npm run test:thorough` sets 1. */
const factor = Number(process.env["PROPERTY_RUNS_FACTOR"] ?? 0.3);

/** Options of fast-check: the share of `full` runs, and the milliseconds after which a slow machine stops. */
export function runs(
  full: number,
  milliseconds?: number,
): { numRuns: number; interruptAfterTimeLimit?: number } {
  const numRuns = Math.max(5, Math.ceil(full * factor));
  return milliseconds === undefined
    ? { numRuns }
    : { numRuns, interruptAfterTimeLimit: milliseconds };
}
