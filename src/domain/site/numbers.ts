import { statfs } from "node:fs/promises";
import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { readServers } from "../../redis/servers.ts";
import { readWeek, type Week } from "../day-stats.ts";
import { readRarely } from "../per-client.ts";
import { type Checkup, readCheckup } from "./checkup.ts";

/** The site in numbers, for its admins. */
export interface SiteNumbers {
  week: Week;
  /** Ids given out: accounts and tweets so far, those that are gone included. */
  accounts: number;
  tweets: number;
  failedJobs: number;
  waitingJobs: number;
  /** Of all servers of Redis together. */
  memory: { usedBytes: number; maxBytes: number | undefined; isCompact: boolean };
  /** Size of the append-only files; undefined where there are none. */
  fileBytes: number | undefined;
  /** Of the disk with the data folder; undefined if Redis keeps the data elsewhere. */
  disk: { freeBytes: number; totalBytes: number } | undefined;
  checkup: Checkup | undefined;
}

/** Min time between two readings by one process, however many admins look. */
const freshMilliseconds = 10_000;

/** Takes a few round trips of bounded work. */
export const siteNumbers = readRarely(freshMilliseconds, async (ctx, now): Promise<SiteNumbers> => {
  const [week, counted, jobs, servers, disk, checkup] = await Promise.all([
    readWeek(ctx, now),
    exec(ctx.redis, [
      ["get", keys.userIds],
      ["get", keys.tweetIds],
    ]),
    ctx.jobs.counts(),
    readServers(ctx.redis),
    readDisk(ctx),
    readCheckup(ctx),
  ]);
  const [accounts = 0, tweets = 0] = counted.map((count) => Number(count ?? 0));
  const jobsIn = (state: string) => sum(jobs, (one) => (one.state === state ? one.count : 0));
  const limits = servers.flatMap(({ maxBytes }) => maxBytes ?? []);
  const files = servers.flatMap(({ fileBytes }) => fileBytes ?? []);
  return {
    week,
    accounts,
    tweets,
    failedJobs: jobsIn("failed"),
    waitingJobs: jobsIn("waiting") + jobsIn("delayed"),
    memory: {
      usedBytes: sum(servers, (one) => one.usedBytes),
      maxBytes: limits.length === 0 ? undefined : sum(limits, Number),
      isCompact: servers.every(({ isCompact }) => isCompact !== false),
    },
    fileBytes: files.length === 0 ? undefined : sum(files, Number),
    disk,
    checkup,
  };
});

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}

async function readDisk({ config }: Ctx): Promise<SiteNumbers["disk"]> {
  if (config.redisUrls.length > 0) return undefined;
  const disk = await statfs(config.dataDir).catch(() => undefined);
  return disk && { freeBytes: disk.bavail * disk.bsize, totalBytes: disk.blocks * disk.bsize };
}
