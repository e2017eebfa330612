/** Shorter times than this, in microseconds, are noise. */
const noise = 2000;

/**
 * How many times longer `work` takes for 100 kB of `unit` than for a quarter of that: about 4 if
 * its time is linear, 16 if it is quadratic. Time is that of the processor, which others may share.
 */
export function growth(unit: string, work: (text: string) => unknown): number {
  const text = (size: number) => unit.repeat(Math.ceil(size / unit.length));
  const quarter = fastest(() => work(text(25_000)));
  return fastest(() => work(text(100_000))) / Math.max(quarter, noise);
}

function fastest(work: () => unknown): number {
  const times = Array.from({ length: 5 }, () => {
    const began = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(began);
    return user + system;
  });
  return Math.min(...times);
}
