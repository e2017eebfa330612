import { Agent, get, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import autocannon from "autocannon";

export interface Load {
  /** Answers a second. */
  rate: number;
  /** Milliseconds, whole ones: what the load generator counts in. */
  p50: number;
  p99: number;
  bytes: number;
}

/** As Chrome and Firefox ask. */
export const acceptEncoding = "gzip, deflate, br, zstd";

export interface Who {
  cookie?: string;
  /** In the place of a cookie. */
  authorization?: string;
}

export interface Traffic extends Who {
  connections?: number;
  seconds: number;
}

/** An answer as it travels. */
export interface Sent {
  body: Buffer;
  /** "" where it is not compressed. */
  encoding: string;
  type: string;
}

/** Asks for one page again and again, over `connections` at once. Throws if any answer is not 2xx. */
export async function load(
  url: string,
  { cookie = "", authorization, connections = 10, seconds }: Traffic,
): Promise<Load> {
  const headers = headersOf({ cookie, authorization });
  // It ends with a sample.
  const sampleInt = 1000 * Math.min(1, seconds);
  const result = await autocannon({ url, connections, duration: seconds, headers, sampleInt });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} refused, ${result.errors} failed`);
  return {
    rate: result.requests.average / (sampleInt / 1000),
    p50: result.latency.p50,
    p99: result.latency.p99,
    bytes: result.throughput.total / Math.max(1, result.requests.total),
  };
}

function headersOf({ cookie = "", authorization }: Who) {
  return {
    "accept-encoding": acceptEncoding,
    ...(authorization === undefined ? { cookie } : { authorization }),
  };
}

/** One answer, compressed as a browser is sent it. */
export async function asSent(url: string, who: Who): Promise<Sent> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { headers: headersOf(who) }, resolve).once("error", reject);
  });
  return {
    body: await buffer(answer),
    encoding: answer.headers["content-encoding"] ?? "",
    type: answer.headers["content-type"] ?? "",
  };
}

/**
 * Milliseconds that each page takes, to the microsecond, asked for one after another over one
 * connection until `done` says so.
 */
export async function timePages(
  url: string,
  cookie: string,
  done: () => boolean,
): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const took: number[] = [];
  while (!done()) {
    const began = performance.now();
    await getPage(url, cookie, agent);
    took.push(performance.now() - began);
  }
  agent.destroy();
  return took;
}

async function getPage(url: string, cookie: string, agent: Agent): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    get(url, { agent, headers: headersOf({ cookie }) }, (answer) => {
      answer.once("end", resolve).once("error", reject).resume();
    }).once("error", reject);
  });
}

/** A `done` for timePages. */
export function after(milliseconds: number): () => boolean {
  const deadline = performance.now() + milliseconds;
  return () => performance.now() > deadline;
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
