/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const goldenRatio = (Math.sqrt(5) - 1) / 2;

/**
 * A number from 0 to 1 for the nth person. Any run of people has all sizes evenly: so what a site does in all hardly
 * depends on chance, and small sites can be compared with large ones.
 */
export function evenly(nth: number, shift: number): number {
  return (shift + nth * goldenRatio) % 1;
}

/** A power law (Pareto): `least` and more, most of them near it; `steepness` 2 has a mean of twice the least. */
export function paretoOf(
  luck: number,
  { least, steepness, most }: { least: number; steepness: number; most: number },
): number {
  return Math.min(most, Math.floor(least / (1 - luck) ** (1 / steepness)));
}

/** Draws ranks from 0 to `count` - 1 by Zipf's law: rank n is as likely as 1 / (n + 1) ** exponent. */
export class Ranks {
  readonly #upTo: Float64Array;

  constructor(count: number, exponent: number) {
    this.#upTo = new Float64Array(count);
    let sum = 0;
    for (let rank = 0; rank < count; rank += 1) {
      sum += (rank + 1) ** -exponent;
      this.#upTo[rank] = sum;
    }
  }

  draw(luck: number): number {
    const wanted = luck * (this.#upTo.at(-1) ?? 0);
    let [low, high] = [0, this.#upTo.length - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#upTo[middle] ?? 0) <= wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
