import { once } from "node:events";
import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type Lab, settings } from "./lab.ts";
import { postTweet, type Running } from "./site.ts";

/** That are measured, of each kind. */
const tweets = 10;

/** All open streams, and when which of them heard of something new. */
export class Crowd {
  readonly #web: Running;
  readonly #event: string;
  readonly #agent = new Agent({ keepAlive: false, maxSockets: Infinity });
  readonly #open: ClientRequest[] = [];
  #heard: number[] = [];

  /** `event` is what something new is called. */
  constructor(web: Running, event: string) {
    this.#web = web;
    this.#event = event;
  }

  get size(): number {
    return this.#open.length;
  }

  async join(path: string, identity: Record<string, string>): Promise<void> {
    const headers = { ...identity, accept: "text/event-stream" };
    const asked = request(`${this.#web.url}${path}`, { agent: this.#agent, headers });
    this.#open.push(asked);
    const [answer] = (await once(asked.end(), "response")) as [IncomingMessage];
    if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}`);
    answer.on("error", () => {});
    answer.setEncoding("utf8").on("data", (text: string) => {
      if (text.includes(`event: ${this.#event}\n`)) this.#heard.push(performance.now());
    });
  }

  /** Milliseconds after which each of `count` streams was told of a tweet, of several tweets. */
  async time(lab: Lab, cookie: string, count: number): Promise<number[]> {
    const took: number[] = [];
    for (let nth = 0; nth < lab.times(tweets); nth += 1) {
      // At no fixed distance from the tweet before.
      await sleep(lab.seconds(1.5 + Math.random()) * 1000);
      this.#heard = [];
      const began = performance.now();
      await postTweet(this.#web, cookie, `Bench tweet ${nth}: a sparrow sat on the wire.`);
      while (this.#heard.length < count) {
        if (performance.now() - began > 60_000)
          throw new Error(`only ${this.#heard.length} of ${count} were told`);
        await sleep(5);
      }
      took.push(...this.#heard.map((moment) => moment - began));
    }
    return took.toSorted((one, other) => one - other);
  }

  /** How often they heard of something new since the last call. */
  takeHeard(): number {
    const count = this.#heard.length;
    this.#heard = [];
    return count;
  }

  leave(): void {
    for (const one of this.#open) one.on("error", () => {}).destroy();
  }
}

export async function gaugeOf({ url }: Running, name: string): Promise<number> {
  const headers = { authorization: `Bearer ${settings.METRICS_TOKEN}` };
  const text = await (await fetch(`${url}/metrics`, { headers })).text();
  return Number(new RegExp(`^${name} (\\S+)`, "m").exec(text)?.[1]);
}

/** Of sorted numbers. */
export function at(sorted: number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
