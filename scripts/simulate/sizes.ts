/** A size is at most so many times as large as the one before, at least so many times, and the first has so many people. */
const steps = { most: 5, least: 2 };
const enough = 4000;

/**
 * The people of the three sites, the largest last; each size is the same number of times as large as the one before. The
 * further the two smaller ones are apart, the less of their noise is in what they predict, and the less time they take:
 * a twenty-fifth and a fifth are better than a quarter and half. In a small site little is as in a large one, as
 * most lists are short and no tweets are packed: then the sizes are closer.
 */
export function sizesOf(people: number): [number, number, number] {
  const step = Math.min(steps.most, Math.max(steps.least, Math.sqrt(people / enough)));
  return [Math.round(people / step ** 2), Math.round(people / step), people];
}

/** Real milliseconds of a day for each person on two free cores; of a day at least; of all days together at most. */
const pace = { each: 9, least: 7000, all: 24 * 60_000 };

/**
 * Real milliseconds of a day for each person, in all sizes: a site that is played faster has more of everything at the
 * same time, which costs more processor time. `load`: other programs that run, for each core. `needed`: what a day took
 * whose clock had to wait.
 */
export function paceFor(
  sizes: readonly number[],
  { load, needed = 0 }: { load: number; needed?: number },
): number {
  const most = pace.all / sizes.reduce((sum, size) => sum + size, 0);
  const least = pace.least / Math.min(...sizes);
  return Math.max(least, Math.min(most, Math.max(needed, pace.each * (1 + load))));
}
