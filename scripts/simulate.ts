import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { openLab } from "./bench/lab.ts";
import { playDay } from "./simulate/day.ts";
import type { DayFigures } from "./simulate/figures.ts";
import { watchedShareOf } from "./simulate/plan.ts";
import { currentLoad, writeReport } from "./simulate/report.ts";
import { paceFor, sizesOf } from "./simulate/sizes.ts";

/**
 * `npm run simulate -- [--people 2000] [--out .cache/simulation] [--seed 1]`: plays a day of three sites, the largest with
 * so many people, and writes a report with plots. The exit code is 1 if a day was cut short.
 * Ends by itself; all processes and data are its own.
 */

/** A day that takes longer than so many times its plan, and these milliseconds, is cut short. */
const patience = { times: 3, more: 120_000 };
/** If the clock waited for more than this share of a day, the next is planned to be as slow, if the time allows it. */
const muchWaiting = 0.2;

const { values } = parseArgs({
  options: {
    people: { type: "string", default: "2000" },
    out: { type: "string", default: ".cache/simulation" },
    seed: { type: "string", default: "1" },
  },
});
const people = Number(values.people);
const seed = Number(values.seed);
if (!Number.isSafeInteger(people) || people < 240 || !Number.isSafeInteger(seed)) {
  process.stderr.write("--people is a whole number from 240, --seed a whole number\n");
  process.exit(1);
}
const interrupted = new AbortController();
// A terminal and npm may both send one: the second must not end the process before its Redis.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => interrupted.abort());

const say = (line: string) => void process.stderr.write(`${line}\n`);
const loadBefore = currentLoad();
const days: DayFigures[] = [];
const watchedShare = watchedShareOf(people);
// Other programs slow the days down.
const load = Number(loadBefore) / cpus().length;
const sizes = sizesOf(people);
let each = paceFor(sizes, { load });
for (const size of sizes) {
  const played = await oneDay(size);
  // Half a day says nothing about a whole one.
  if (interrupted.signal.aborted) process.exit(1);
  const { play, waited } = played.spent;
  const isSlow = waited > muchWaiting * play;
  if (isSlow) each = Math.max(each, paceFor(sizes, { load, needed: play / size }));
  days.push(played);
}
const [first, second, third] = days as [DayFigures, DayFigures, DayFigures];
const predictions = await writeReport(values.out, [first, second, third], loadBefore);
for (const { name, error } of predictions)
  say(`${name}: predicted with an error of ${(100 * error).toFixed(1)} %`);
say(`The report is in ${values.out}/README.md`);
process.exit(days.some(({ cut }) => cut !== undefined) ? 1 : 0);

async function oneDay(size: number): Promise<DayFigures> {
  const realMilliseconds = Math.round(size * each);
  const limit = AbortSignal.timeout(patience.times * realMilliseconds + patience.more);
  const lab = await openLab(1, say);
  try {
    const ended = AbortSignal.any([limit, interrupted.signal]);
    return await playDay(lab, { people: size, seed, realMilliseconds, watchedShare, ended });
  } finally {
    await lab.close();
  }
}
