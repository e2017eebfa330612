/** Share of the full number of runs of property tests; `npm run test:thorough` sets 1. */
const factor = Number(process.env["PROPERTY_RUNS_FACTOR"] ?? 0.2);

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

/** As many of the items as `factor` says, others in each run, in their order. */
export function someOf<Item>(items: readonly Item[]): Item[] {
  return items.filter(() => Math.random() < factor);
}
