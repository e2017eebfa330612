import type { Ctx, JobCount } from "../context.ts";
import { siteStats } from "../domain/feeds/public-lists.ts";
import { readState } from "../migrations/state.ts";
import { exec } from "../redis/exec.ts";
import { keys } from "../redis/keys.ts";
import { readServers, type ServerStats } from "../redis/servers.ts";

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
  return [
    row("users", `${people} signed up, ${activePeople} posted in the last 30 days`),
    row("tweets", `${tweets} posted, deleted ones included`),
    row("moderation", `${Number(reports)} open reports, ${Number(suspended)} users suspended`),
    row("jobs", inWords(await ctx.jobs.counts())),
    row("data", `version ${state?.version ?? "unknown: the site was never started"}`),
    ...(await readServers(redis)).map((server) => row("Redis", serverRow(server))),
  ];
}

function row(name: string, text: string): string {
  return `${name.padEnd(12)}${text}`;
}

/** Jobs of all queues together, by state. */
function inWords(counts: JobCount[]): string {
  const total = (state: string) =>
    counts.filter((one) => one.state === state).reduce((sum, { count }) => sum + count, 0);
  return states.map((state) => `${total(state)} ${state}`).join(", ");
}

function serverRow(server: ServerStats): string {
  const { address, version, usedBytes, maxBytes, fileBytes } = server;
  const limit = maxBytes === undefined ? "" : ` of ${megabytes(maxBytes)}`;
  return [
    address,
    `version ${version}`,
    `${server.keys} keys`,
    `${megabytes(usedBytes)}${limit} of memory`,
    fileBytes === undefined ? "no append-only file" : `append-only file of ${megabytes(fileBytes)}`,
  ].join(", ");
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
