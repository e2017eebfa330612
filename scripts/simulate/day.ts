import { createQueues, type Queues } from "../../src/jobs/queue.ts";
import { connect, waitUntilReady } from "../../src/redis/client.ts";
import type { RedisClient } from "../../src/redis/redis-client.ts";
import type { Lab } from "../bench/lab.ts";
import { sayings } from "../bench/sayings.ts";
import { Arrivals } from "./arrivals.ts";
import { Browser } from "./browser.ts";
import { DayClock } from "./clock.ts";
import { type DayFigures, measureSite } from "./figures.ts";
import { Identities } from "./identities.ts";
import type { Scene } from "./people.ts";
import { planDay } from "./plan.ts";
import { Play } from "./play.ts";
import { day } from "./rhythm.ts";
import { settle } from "./settle.ts";
import { Tally } from "./tally.ts";
import { drawTown } from "./town.ts";

export interface DayOptions {
  people: number;
  seed: number;
  /** How long the day takes if the machine keeps up. */
  realMilliseconds: number;
  /** See watchedShareOf. */
  watchedShare: number;
  ended: AbortSignal;
}

/** Plays one day of a site on the Redis of the lab, which is empty, and measures it. */
export async function playDay(lab: Lab, options: DayOptions): Promise<DayFigures> {
  const open = (profile: "doctor" | "worker") =>
    connect({ urls: [lab.socket] }, profile, lab.ctx.config, () => {});
  // The one of the people pipelines what they do in the same moment, as that of a web process does.
  const [redis, queueRedis] = [open("doctor"), open("worker")];
  const queues = createQueues(queueRedis, () => {});
  try {
    await Promise.all([redis, queueRedis].map((one) => waitUntilReady(one, 5000)));
    // What Redis has by default: a large site reads more keys than a small Redis may note.
    await redis.call("CONFIG", "SET", "tracking-table-max-keys", 1_000_000);
    return await playOn(lab, { redis, queues }, options);
  } finally {
    await queues.close();
    for (const one of [redis, queueRedis]) one.disconnect();
  }
}

async function playOn(
  lab: Lab,
  { redis, queues }: { redis: RedisClient; queues: Queues },
  { people, seed, realMilliseconds, watchedShare, ended }: DayOptions,
): Promise<DayFigures> {
  const town = drawTown(people, seed);
  const steps = planDay(town, seed);
  // In turns: of four tweets one is Japanese.
  const english = sayings("english", 15_000);
  const japanese = sayings("japanese", 5000);
  const texts = japanese.flatMap((text, nth) => [text, ...english.slice(3 * nth, 3 * nth + 3)]);
  // Yesterday: nothing is ahead of the clock of Redis.
  const start = Math.floor(Date.now() / day) * day - day;
  const began = performance.now();
  const ids = await settle({ ...lab, ctx: { ...lab.ctx, redis } }, town, start, texts);
  const clock = new DayClock(start, realMilliseconds);
  const tally = new Tally(() => clock.passed);
  const browser = new Browser();
  const arrivals = new Arrivals(lab.ctx.redis, tally);
  const busy: Lab = { ...lab, ctx: { ...lab.ctx, redis, jobs: queues, now: clock.now } };
  const scene: Scene = {
    lab: busy,
    queues,
    town,
    ids,
    identities: new Identities(busy, ids),
    browser,
    tally,
    arrivals,
    texts,
    watchedShare,
  };
  const play = new Play(scene, clock, steps);
  try {
    await play.open();
    const opened = performance.now();
    const cut = await play.run(ended);
    const played = performance.now();
    if (cut === undefined) await play.finish();
    await play.close();
    const site = await measureSite(lab);
    const spent = {
      settle: opened - began,
      play: played - opened,
      waited: clock.waited,
      measure: performance.now() - played,
    };
    return { people, seed, town, tally, cut, spent, site };
  } finally {
    arrivals.stop();
    browser.close();
    await play.close();
  }
}
