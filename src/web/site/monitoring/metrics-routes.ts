import { type Request, type RequestHandler, Router } from "express";
import { collectDefaultMetrics, Counter, Histogram, type Metric, Registry } from "prom-client";
import type { Ctx } from "../../../context.ts";
import { NotFound } from "../../../domain/errors.ts";
import { classNames } from "../../../domain/limit-classes.ts";
import { withoutCaching } from "../../../domain/scope.ts";
import { tallies } from "../../../domain/tallies.ts";
import type { Hub } from "../../live/hub.ts";
import type { KeptPages } from "../../server/page-cache.ts";
import { isOperator } from "./routes.ts";
import { setTimeout as pause } from "node:timers/promises";
import { hostNumbers, readDisk } from "../../../domain/site/numbers.ts";
import { deliveryBounds, readDeliveryTimes } from "../../../domain/statistics.ts";

const secondsUpTo = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Metrics for Prometheus, and the middleware that counts. */
export function metrics(ctx: Ctx, kept: KeptPages, hub: Hub) {
  const register = new Registry();
  // Each process counts for itself, and several share one port: a scrape reaches any of them.
  if (ctx.config.webConcurrency > 1) register.setDefaultLabels({ process: process.pid });
  collectDefaultMetrics({ register });
  const count = countRequests(register);
  addProcessMetrics(ctx, kept, hub, register);
  addSiteMetrics(ctx, register);
  const pages = Router();
  pages.get("/metrics", async (req, res) => {
    if (!isOperator(ctx.config, req)) throw new NotFound("metrics");
    const text = await withoutCaching(() => register.metrics());
    res.type(register.contentType).send(text);
  });
  return { count, pages };
}

function countRequests(register: Registry): RequestHandler {
  const registers = [register];
  const answered = new Histogram({
    name: "suzume_http_seconds",
    help: "Time until a request was answered, by method and status.",
    labelNames: ["method", "status"],
    buckets: secondsUpTo,
    registers,
  });
  const requests = new Counter({
    name: "suzume_http_requests_total",
    help: "Requests by route; other: files, redirects and unknown addresses.",
    labelNames: ["method", "route", "status"],
    registers,
  });
  // Looking up a series by its labels would take longer than counting.
  const seriesByKey = new Map<string, Histogram.Internal<"method" | "status">>();
  const seriesOf = (method: string, status: string) => {
    const series = seriesByKey.get(method + status) ?? answered.labels(method, status);
    seriesByKey.set(method + status, series);
    return series;
  };
  return (req, res, next) => {
    const began = performance.now();
    res.once("finish", () => {
      const [method, status] = [req.method, String(res.statusCode)];
      requests.inc({ method, route: routeOf(req), status });
      // A stream of events lasts as long as its page is open.
      if (String(res.getHeader("Content-Type")).startsWith("text/event-stream")) return;
      seriesOf(method, status).observe((performance.now() - began) / 1000);
    });
    next();
  };
}

/** As "/@:name": there are a few hundred routes, and any number of paths. */
function routeOf({ route }: Request): string {
  return route === undefined ? "other" : String((route as { path: unknown }).path);
}

/** What this process keeps: its copy of Redis data, see redis/memory.ts, finished pages, open streams; what it did. */
function addProcessMetrics({ memory }: Ctx, kept: KeptPages, hub: Hub, register: Registry): void {
  for (const one of Object.values(tallies)) register.registerMetric(one);
  // Prometheus sees an increase only of a series that was there before.
  for (const limit of classNames) tallies.refusals.inc({ limit }, 0);
  for (const kind of ["tweets", "people"]) tallies.searches.inc({ kind }, 0);
  const streams = (kind: "page" | "app"): [number, object] => [hub.count(kind), { kind }];
  addMetrics(register, {
    open_streams: ["Open streams of events.", () => [streams("page"), streams("app")]],
    memory_reads_total: [
      "Reads that the memory answered (hit), and reads that Redis did (miss).",
      () => [
        [memory.stats().hits, { result: "hit" }],
        [memory.stats().misses, { result: "miss" }],
      ],
    ],
    memory_entries: ["Keys of Redis that the memory knows.", () => memory.stats().entries],
    memory_bytes: ["At most MEMORY_MEGABYTES, about.", () => memory.stats().bytes],
    memory_tracking: ["1 while Redis tells of changes.", () => memory.stats().tracking],
    kept_pages_made_total: ["Pages made in full, and kept.", () => kept.stats().made],
    kept_pages_sent_total: ["Pages sent again as they were.", () => kept.stats().sent],
    kept_pages_remade_total: ["Pages made anew but for the frame.", () => kept.stats().remade],
    kept_pages_bytes: ["A quarter of the memory at most, about.", () => kept.stats().bytes],
  });
}

/** Milliseconds to wait for Redis: what the process knows is told in any case. */
const patience = 1500;

/** Without a value there is no series. `suffix`: of a part of a histogram. */
type Sample = [value: number | undefined, labels?: object, suffix?: string];
type Figures = number | boolean | undefined | Sample[];

/** Metrics that are read at the scrape, by name without "suzume_". If reading fails, they have no series. */
function addMetrics(
  register: Registry,
  table: Record<string, [help: string, read: () => Figures | Promise<Figures>, type?: "histogram"]>,
): void {
  for (const [part, [help, read, shape]] of Object.entries(table)) {
    const name = `suzume_${part}`;
    const type = shape ?? (part.endsWith("_total") ? "counter" : "gauge");
    const get = async () => {
      const late = pause(patience, [], { ref: false });
      const figures = await Promise.race([(async () => read())(), late]).catch(() => []);
      const one = figures === undefined ? undefined : Number(figures);
      const samples: Sample[] = Array.isArray(figures) ? figures : [[one]];
      const values = samples
        .filter(([value]) => value !== undefined)
        .map(([value, labels = {}, suffix = ""]) => ({ value, labels, metricName: name + suffix }));
      return { name, help, type, aggregator: "max", values };
    };
    register.registerMetric({ name, help, type, get } as unknown as Metric);
  }
}

/** Metrics of the whole site, from Redis: the same from each web process, as workers serve none. */
function addSiteMetrics(ctx: Ctx, register: Registry): void {
  // All are read in one turn, and share one reading of the host.
  let reading: ReturnType<typeof hostNumbers> | undefined;
  const host = () => (reading ??= hostNumbers(ctx).finally(() => (reading = undefined)));
  type Server = Awaited<ReturnType<typeof host>>["servers"][number];
  const each = (read: (server: Server) => number | undefined) => async () =>
    (await host()).servers.map((server): Sample => [read(server), { node: server.address }]);
  const ageOf = (since = Infinity) => Math.max(0, ctx.now() - since) / 1000;
  addMetrics(register, {
    redis_round_trip_seconds: ["Time of a PING now.", each((server) => server.roundTripSeconds)],
    redis_memory_used_bytes: ["Memory that Redis uses.", each(({ usedBytes }) => usedBytes)],
    redis_memory_max_bytes: ["Limit of its memory, if any.", each(({ maxBytes }) => maxBytes)],
    disk_free_bytes: [
      "Free on the disk with DATA_DIR.",
      async () => (await readDisk(ctx))?.freeBytes,
    ],
    disk_total_bytes: ["Size of that disk.", async () => (await readDisk(ctx))?.totalBytes],
    accounts_total: ["Accounts, deleted ones included.", async () => (await host()).accounts],
    tweets_total: ["Tweets, deleted ones included.", async () => (await host()).tweets],
    last_backup_timestamp_seconds: [
      "When the last backup was complete.",
      async () => ((await host()).backupAt ?? NaN) / 1000 || undefined,
    ],
    jobs: [
      "Jobs in each queue by state; those in state failed are dead letters.",
      async () => (await ctx.jobs.counts()).map(({ count, ...labels }): Sample => [count, labels]),
    ],
    jobs_oldest_waiting_seconds: [
      "Age of the oldest job that waits for a worker.",
      async () =>
        (await ctx.jobs.waitingSince()).map(({ queue, since }): Sample => [
          ageOf(since),
          { queue },
        ]),
    ],
    delivery_seconds: [
      "Time from the POST of a tweet to its last home timeline.",
      async () => {
        const { upTo, count, seconds } = await readDeliveryTimes(ctx);
        const buckets = [...deliveryBounds, "+Inf"].map((le, nth): Sample => [
          upTo[nth] ?? count,
          { le },
          "_bucket",
        ]);
        return [...buckets, [seconds, {}, "_sum"], [count, {}, "_count"]];
      },
      "histogram",
    ],
  });
}
