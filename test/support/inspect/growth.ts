/** Milliseconds; shorter times are noise. */
const noise = 2;
/** Milliseconds; a time as long as this is not measured again. */
const sure = 200;
/** Below this growth is not quadratic, and is not measured again. With much garbage, linear work comes to 6 or 7. */
const linear = 9;

/**
 * How many times longer `work` takes for 100 kB of `unit` than for a quarter of that: about 4 if
 * its time is linear, 16 if it is quadratic.
 */
export function growth(unit: string, work: (text: string) => unknown): number {
  let least = Infinity;
  // Other load only makes it look worse, so the least counts.
  for (let tries = 0; tries < 8 && least > linear; tries += 1)
    least = Math.min(least, growthOnce(unit, work));
  return least;
}

function growthOnce(unit: string, work: (text: string) => unknown): number {
  const text = (size: number) => unit.repeat(Math.ceil(size / unit.length));
  const quarter = fastest(() => work(text(25_000)));
  return fastest(() => work(text(100_000))) / Math.max(quarter, noise);
}

/** Milliseconds of the processor, the least of some tries. */
export function fastest(work: () => unknown): number {
  let least = Infinity;
  for (let tries = 0; tries < 5 && (tries === 0 || least < sure); tries += 1) {
    // Processor time: other programs do not count.
    const began = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(began);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}
