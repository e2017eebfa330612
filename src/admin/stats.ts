import { Cluster, type Redis } from "ioredis";
import type { Ctx, JobCount } from "../context.ts";
import { siteStats } from "../domain/tweets/site-stats.ts";
import { readState } from "../migrations/state.ts";
import { exec } from "../redis/exec.ts";
import { keys } from "../redis/keys.ts";

const states = ["waiting", "active", "delayed", "failed"];

/** Numbers of the site, its jobs and its Redis. */
export async function stats(ctx: Ctx): Promise<string[]> {
  const { redis } = ctx;
  const { people, tweets, activePeople } = await siteStats(ctx);
  const [suspended, reports] = await exec(redis, [
    ["zcard", keys.suspended],
    ["zcard", keys.openReports],
  ]);
  const state = await readState(redis);
  const nodes = redis instanceof Cluster ? redis.nodes("master") : [redis];
  return [
    row("users", `${people} signed up, ${activePeople} posted in the last 30 days`),
    row("tweets", `${tweets} posted, deleted ones included`),
    row("moderation", `${Number(reports)} open reports, ${Number(suspended)} users suspended`),
    row("jobs", inWords(await ctx.jobs.counts())),
    row("data", `version ${state?.version ?? "unknown: the site was never started"}`),
    ...(await Promise.all(nodes.map(async (node) => row("Redis", await serverOf(node))))),
  ];
}

function row(name: string, text: string): string {
  return `${name.padEnd(12)}${text}`;
}

/** Of all queues together. */
function inWords(counts: JobCount[]): string {
  const total = (state: string) =>
    counts.filter((one) => one.state === state).reduce((sum, { count }) => sum + count, 0);
  return states.map((state) => `${total(state)} ${state}`).join(", ");
}

async function serverOf(node: Redis): Promise<string> {
  const { path, host, port } = node.options;
  const [info, size] = await Promise.all([node.info(), node.dbsize()]);
  const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(info)?.[1];
  const limit = field("maxmemory") === "0" ? "" : ` of ${field("maxmemory_human") ?? "?"}`;
  const file =
    field("aof_enabled") === "1"
      ? `append-only file of ${megabytes(field("aof_current_size"))} MB`
      : "no append-only file";
  return [
    path ?? `${host ?? "localhost"}:${port ?? 6379}`,
    `version ${field("redis_version") ?? "?"}`,
    `${size} keys`,
    `${field("used_memory_human") ?? "?"}${limit} of memory`,
    file,
  ].join(", ");
}

function megabytes(bytes: string | undefined): string {
  return (Number(bytes ?? 0) / 1e6).toFixed(1);
}
