export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;

/** How much people do in each hour from midnight: least at four, most at eight in the evening. */
const weights = [
  2, 1, 0.6, 0.4, 0.4, 0.6, 1.5, 3, 4, 4, 4.2, 4.5, 5.5, 5, 4.2, 4, 4.2, 5, 6, 7, 8, 8, 6.5, 4,
] as const;
const all = weights.reduce((sum, weight) => sum + weight, 0);

/** The busiest hour, as a multiple of the average. */
export const busiest = Math.max(...weights) / (all / 24);

/** A moment of the day, in milliseconds from midnight: `luck` from 0 to 1 becomes as many moments as the hour has weight. */
export function momentOf(luck: number): number {
  let left = luck * all;
  for (const [nth, weight] of weights.entries()) {
    if (left < weight) return (nth + left / weight) * hour;
    left -= weight;
  }
  return day - 1;
}
