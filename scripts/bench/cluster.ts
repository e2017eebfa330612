import { setTimeout as sleep } from "node:timers/promises";
import type { Ctx } from "../../src/context.ts";
import { tweetId, stampAt } from "../../src/domain/ids.ts";
import { fanOut } from "../../src/domain/timelines/fan-out.ts";
import { keys } from "../../src/redis/keys.ts";
import { countReached, type Crowd, makeCrowd } from "./cluster-crowd.ts";
import { type Fleet, startFleet } from "./cluster-fleet.ts";
import { fewFollowers, growthTable } from "./cluster-growth.ts";
import type { Lab } from "./lab.ts";
import { quantile } from "./load.ts";

/** Followers of an author; the second only at full scale. */
const sizes = [42_000, 210_000];
/** 0: a single server that is not in cluster mode. */
const primaries = [0, 1, 3, 6];
const rounds = 21;
const idleSeconds = 1.5;
/** Tweets to few followers in a round: what one of them takes is too little to be seen. */
const fewTweets = 60;

interface Spent {
  /** Milliseconds of processor time for 10,000 deliveries. */
  worker: number;
  redis: number;
}

/**
 * Processor time of the worker, and of all servers together, for 10,000 deliveries, however many servers share them.
 * This process does what a worker would, but for taking the jobs.
 */
export async function cluster(lab: Lab) {
  const chosen = sizes.slice(0, lab.scale < 1 ? 1 : 2).map((size) => Math.round(size * lab.scale));
  const measured: Awaited<ReturnType<typeof measure>>[] = [];
  for (const followers of chosen) measured.push(await measure(lab, followers));
  const [usual] = measured;
  if (usual === undefined) throw new Error("nothing was measured");
  lab.say(`cluster: what more primaries would deliver\n${growthTable(usual)}`);
  const all = measured.flatMap((one) => Object.values(one.primaries));
  return {
    ours: Math.max(...all.map(({ workerMsPer10000 }) => workerMsPer10000)),
    limit: 4,
    ratio: Math.max(...all.map(({ redisRatio }) => redisRatio)),
    target: 1.2,
    unit: "ms of a worker for 10,000 deliveries; ratio: Redis",
    ...usual,
    larger: measured.slice(1),
  };
}

interface Measured {
  fleet: Fleet;
  /** Milliseconds of its processor time in a millisecond in which nothing happens. */
  idle: number;
}

async function idleOf(lab: Lab, fleet: Fleet): Promise<number> {
  const milliseconds = lab.seconds(idleSeconds) * 1000;
  const before = await fleet.processorTime();
  await sleep(milliseconds);
  return ((await fleet.processorTime()) - before) / milliseconds;
}

/** The servers take turns, so that noise hits all of them. */
async function measure(lab: Lab, followers: number) {
  const fleets: Fleet[] = [];
  try {
    const crowds: Crowd[] = [];
    for (const count of primaries) {
      const fleet = await startFleet(lab, count);
      fleets.push(fleet);
      for (const [nth, size] of [followers, fewFollowers].entries())
        crowds[nth] = await fleet.use((ctx) => makeCrowd(ctx, nth, size));
    }
    const [many, few] = crowds as [Crowd, Crowd];
    const measured: Measured[] = [];
    for (const fleet of fleets)
      measured.push({ fleet, idle: await fleet.use(() => idleOf(lab, fleet)) });
    const spent = fleets.map(() => ({ many: [] as Spent[], few: [] as Spent[] }));
    const times = lab.times(Math.ceil(rounds * Math.min(1, 42_000 / followers)));
    for (let round = 0; round <= times; round += 1)
      for (const [nth, one] of measured.entries())
        await one.fleet.use(async (ctx) => {
          // The first tweet connects to all servers, and brings them the scripts.
          await deliver(ctx, few, 1);
          const forFew = await spend(one, ctx, few, fewTweets);
          const forMany = await spend(one, ctx, many, 1);
          if (round === 0) return;
          spent[nth]?.few.push(forFew);
          spent[nth]?.many.push(forMany);
        });
    const costs = spent.map((some) => ({ many: least(some.many), few: least(some.few) }));
    return { followers, ...figuresOf(lab, costs) };
  } finally {
    for (const fleet of fleets) await fleet.stop();
  }
}

async function deliver(ctx: Ctx, { author }: Crowd, tweets: number): Promise<string> {
  let tweet = tweetId(1);
  for (let nth = 0; nth < tweets; nth += 1) {
    tweet = tweetId(await ctx.redis.incr(keys.tweetIds));
    const placed = { tweet, author, stamp: stampAt(Date.now(), tweet) };
    await fanOut(ctx, placed, { done: 0, save: async () => {} });
  }
  return tweet;
}

/** What the servers take while they do nothing is no cost of deliveries. */
async function spend(
  { fleet, idle }: Measured,
  ctx: Ctx,
  crowd: Crowd,
  tweets: number,
): Promise<Spent> {
  const redisBefore = await fleet.processorTime();
  const began = performance.now();
  const before = process.cpuUsage();
  const last = await deliver(ctx, crowd, tweets);
  const { user, system } = process.cpuUsage(before);
  const idling = idle * (performance.now() - began);
  const redis = (await fleet.processorTime()) - redisBefore - idling;
  const reached = await countReached(ctx, crowd, last);
  if (reached !== crowd.followers.length) throw new Error(`only ${reached} were reached`);
  const tenThousands = (tweets * crowd.followers.length) / 10_000;
  return { worker: (user + system) / 1000 / tenThousands, redis: redis / tenThousands };
}

/** Nearly the least, not the median: other work on the machine only adds to a cost. */
function least(some: Spent[]): Spent {
  const of = (part: keyof Spent) =>
    quantile(
      some.map((one) => one[part]),
      0.1,
    );
  return { worker: of("worker"), redis: of("redis") };
}

function figuresOf(lab: Lab, costs: { many: Spent; few: Spent }[]) {
  const [base, ...clusters] = costs;
  if (base === undefined) throw new Error("no single server");
  const figures = ({ many, few }: { many: Spent; few: Spent }) => ({
    workerMsPer10000: many.worker,
    redisMsPer10000: many.redis,
    redisRatio: many.redis / base.many.redis,
    few: {
      workerMsPer10000: few.worker,
      redisMsPer10000: few.redis,
      redisRatio: few.redis / base.few.redis,
    },
  });
  for (const [nth, one] of costs.entries())
    lab.say(`cluster: ${primaries[nth] || "single server"}: ${JSON.stringify(figures(one))}`);
  return {
    single: figures(base),
    primaries: Object.fromEntries(
      clusters.map((one, nth) => [String(primaries[nth + 1]), figures(one)]),
    ),
  };
}
