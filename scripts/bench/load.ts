import autocannon from "autocannon";

export interface Load {
  /** Answers a second. */
  rate: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  bytes: number;
}

/** Asks for one page again and again, over `connections` at once, for `seconds`. */
export async function load(
  url: string,
  {
    cookie = "",
    connections = 10,
    seconds = 5,
  }: { cookie?: string; connections?: number; seconds?: number },
): Promise<Load> {
  const result = await autocannon({ url, connections, duration: seconds, headers: { cookie } });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} refused, ${result.errors} failed`);
  return {
    rate: result.requests.average,
    p50: result.latency.p50,
    p99: result.latency.p99,
    bytes: result.throughput.total / Math.max(1, result.requests.total),
  };
}

/** Milliseconds that each of `times` calls takes, one after another. */
export async function timeEach(
  times: number,
  work: (nth: number) => Promise<unknown>,
): Promise<number[]> {
  const took: number[] = [];
  for (let nth = 0; nth < times; nth += 1) {
    const began = performance.now();
    await work(nth);
    took.push(performance.now() - began);
  }
  return took;
}

export function quantile(values: number[], q: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

export const median = (values: number[]): number => quantile(values, 0.5);
