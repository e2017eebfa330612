import { inBatches } from "../../src/domain/concurrency-limit.ts";
import type { UserId } from "../../src/domain/ids.ts";
import { keys } from "../../src/redis/keys.ts";
import type { RedisClient } from "../../src/redis/redis-client.ts";
import { settings } from "../bench/lab.ts";
import type { DayClock } from "./clock.ts";
import type { SiteProcess } from "./processes.ts";
import { hour } from "./rhythm.ts";
import type { Tally } from "./tally.ts";

const homesAtOnce = 500;
/** One call for many homes: that many answers would cost more than what is measured. */
const entriesIn = `local sum = 0
for _, home in ipairs(KEYS) do sum = sum + redis.call('ZCOUNT', home, ARGV[1], ARGV[2]) end
return sum`;

export interface Measured {
  redis: RedisClient;
  webs(): readonly SiteProcess[];
  worker: SiteProcess;
  /** Users who have a home timeline all day. */
  active: UserId[];
  clock: DayClock;
  tally: Tally;
}

/** Reads at the end of each hour what the counters of the processes say, and how many entries reached home timelines. */
export class Meter {
  readonly #measured: Measured;
  readonly #last = new Map<string, number>();

  constructor(measured: Measured) {
    this.#measured = measured;
  }

  /** Counts from here: what was used before, also by the start of the processes, is not of the day. */
  async begin(): Promise<void> {
    for (const [name, value] of Object.entries(await this.#counters())) this.#last.set(name, value);
  }

  /** What was used since the last call, in the hour that began at `nth`. */
  async note(nth: number): Promise<void> {
    for (const [name, value] of Object.entries(await this.#counters())) {
      this.#measured.tally.count(name, value - (this.#last.get(name) ?? 0), nth * hour);
      this.#last.set(name, value);
    }
  }

  /** The same for web processes that were started anew. */
  async beginWeb(): Promise<void> {
    for (const [name, value] of Object.entries(await this.#counters()))
      if (/web|pages/.test(name)) this.#last.set(name, value);
  }

  /** Entries of the hour in all home timelines; an hour later, so that late ones are there. */
  async countDeliveries(nth: number): Promise<void> {
    const { redis, active, clock, tally } = this.#measured;
    const [from, to] = [nth, nth + 1].map((one) => (clock.start + one * hour) * 1000);
    for (const some of inBatches(active, homesAtOnce)) {
      const homes = some.map(keys.homeTimeline);
      const sum = await redis.eval(entriesIn, homes.length, ...homes, from ?? 0, `(${to}`);
      tally.count("deliveries", Number(sum), nth * hour);
    }
  }

  async #counters(): Promise<Record<string, number>> {
    const { redis, worker, webs } = this.#measured;
    const cpu = await redis.info("cpu");
    const ofRedis = (part: string) =>
      Number(new RegExp(`^used_cpu_${part}:([\\d.]+)`, "m").exec(cpu)?.[1]);
    const own = process.cpuUsage();
    const ofWebs = await Promise.all(webs().map(countersOf));
    return {
      "cpu worker": await worker.cpuSeconds(),
      "cpu Redis": ofRedis("user") + ofRedis("sys"),
      "cpu people": (own.user + own.system) / 1e6,
      ...sumOf(ofWebs),
    };
  }
}

/** Processor time of a web process, and pages that it sent again, made anew but for their frame, and made in full. */
async function countersOf(web: SiteProcess): Promise<Record<string, number>> {
  const headers = { authorization: `Bearer ${settings.METRICS_TOKEN}` };
  const text = await (await fetch(`${web.url}/metrics`, { headers })).text();
  const valueOf = (name: string) =>
    Number(new RegExp(`^${name} (\\S+)`, "m").exec(text)?.[1] ?? Number.NaN);
  const answered = [...text.matchAll(/^suzume_http_seconds_count\{(.*)\} (\S+)/gm)]
    .filter(([, labels = ""]) => /method="GET"/.test(labels) && /status="200"/.test(labels))
    .reduce((sum, [, , count]) => sum + Number(count), 0);
  const kept = valueOf("suzume_kept_pages_sent_total");
  const remade = valueOf("suzume_kept_pages_remade_total");
  return {
    "cpu web": await web.cpuSeconds(),
    "pages kept": kept,
    "pages remade": remade,
    "pages in full": Math.max(0, answered - kept - remade),
  };
}

/** Each counter of all processes together. */
function sumOf(counters: readonly Record<string, number>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [name, value] of counters.flatMap((one) => Object.entries(one)))
    sums[name] = (sums[name] ?? 0) + value;
  return sums;
}
