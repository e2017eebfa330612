import { statfs } from "node:fs/promises";
import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys, ttlOf } from "../../redis/keys.ts";
import { readServers } from "../../redis/servers.ts";
import { readWeek } from "../statistics.ts";
import { bestEffort } from "../outage.ts";
import { perClient, readRarely } from "../memo.ts";

/** Min time between two readings by one process, however many admins look. */
const freshMilliseconds = 10_000;

export type SiteNumbers = Awaited<ReturnType<typeof siteNumbers>>;

/** What the host gives, and how much there is so far. Its work does not grow with the data. */
export async function hostNumbers(ctx: Ctx) {
  const [counted, servers, disk] = await Promise.all([
    exec(ctx.redis, [
      ["get", keys.userIds],
      ["get", keys.tweetIds],
      ["get", keys.backupAt],
    ]),
    readServers(ctx.redis),
    readDisk(ctx),
  ]);
  const [accounts = 0, tweets = 0, backupAt = 0] = counted.map((count) => Number(count ?? 0));
  // Accounts and tweets: ids given out. Backup: milliseconds since 1970; undefined before the first.
  return { accounts, tweets, backupAt: backupAt || undefined, servers, disk };
}

/** The site in numbers, for its admins. Takes a few round trips of bounded work. */
export const siteNumbers = readRarely(freshMilliseconds, async (ctx, now) => {
  const [week, { servers, ...host }, jobs, checkup] = await Promise.all([
    readWeek(ctx, now),
    hostNumbers(ctx),
    ctx.jobs.counts(),
    readCheckup(ctx),
  ]);
  const jobsIn = (state: string) => sum(jobs, (one) => (one.state === state ? one.count : 0));
  const limits = servers.flatMap(({ maxBytes }) => maxBytes ?? []);
  const files = servers.flatMap(({ fileBytes }) => fileBytes ?? []);
  return {
    week,
    ...host,
    failedJobs: jobsIn("failed"),
    waitingJobs: jobsIn("waiting") + jobsIn("delayed"),
    // Of all servers of Redis together.
    memory: {
      usedBytes: sum(servers, (one) => one.usedBytes),
      maxBytes: limits.length === 0 ? undefined : sum(limits, Number),
      isCompact: servers.every(({ isCompact }) => isCompact !== false),
    },
    // Size of the append-only files; undefined where there are none.
    fileBytes: files.length === 0 ? undefined : sum(files, Number),
    checkup,
  };
});

export function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}

/** The disk with the data folder; undefined if all data and pictures are elsewhere. */
export async function readDisk({ config }: Ctx) {
  if (config.redisUrls.length > 0 && config.bucket !== undefined) return undefined;
  const disk = await statfs(config.dataDir).catch(() => undefined);
  return disk && { freeBytes: disk.bavail * disk.bsize, totalBytes: disk.blocks * disk.bsize };
}

/** What the doctor said last. */
const stored = z.object({
  /** Milliseconds since 1970. */
  at: z.number(),
  keys: z.number(),
  findings: z.number(),
  /** Findings that were not repaired. */
  left: z.number(),
});

type Checkup = z.infer<typeof stored>;

export async function writeCheckup(ctx: Ctx, checkup: Checkup): Promise<void> {
  await ctx.redis.set(keys.checkup, JSON.stringify(checkup));
}

/** Undefined if the doctor never looked. */
async function readCheckup(ctx: Ctx): Promise<Checkup | undefined> {
  const text = await ctx.redis.get(keys.checkup);
  return text === null ? undefined : stored.safeParse(JSON.parse(text)).data;
}

/** Min milliseconds between two notes of one process. */
const pause = 10 * 60_000;

const lastOf = perClient<{ at: number }>(() => ({ at: -Infinity }));

/**
 * Notes for all processes that X-Forwarded-For arrives while TRUST_PROXY is not set: then all clients of a proxy
 * share one address. Ends an hour after the last such request. Best effort.
 */
export async function noteUntrustedProxy(ctx: Ctx): Promise<void> {
  const last = lastOf(ctx);
  const now = performance.now();
  if (now - last.at < pause) return;
  last.at = now;
  await bestEffort(
    ctx.redis.set(keys.untrustedProxy, String(ctx.now()), "EX", ttlOf("untrustedProxy")),
  );
}

/** Whether such a request arrived at any process within the last hour. */
export async function hasUntrustedProxy({ config, redis }: Ctx): Promise<boolean> {
  return config.trustProxy === undefined && (await redis.exists(keys.untrustedProxy)) === 1;
}
