import { type RequestHandler, Router } from "express";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Ctx } from "../../../context.ts";
import { NotFound } from "../../../domain/errors.ts";
import type { KeptPages } from "../../server/page-cache.ts";
import { isOperator } from "./routes.ts";

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Metrics for Prometheus, and the middleware that counts. */
export function metrics(ctx: Ctx, kept: KeptPages): { count: RequestHandler; pages: Router } {
  const register = new Registry();
  // Each process counts for itself, and several share one port: a scrape reaches any of them.
  if (ctx.config.webConcurrency > 1) register.setDefaultLabels({ process: process.pid });
  collectDefaultMetrics({ register });
  const answered = new Histogram({
    name: "suzume_http_seconds",
    help: "Time until a request was answered, by method and status.",
    labelNames: ["method", "status"],
    buckets: seconds,
    registers: [register],
  });
  // Looking up a series by its labels would take longer than counting.
  const seriesByKey = new Map<string, Histogram.Internal<"method" | "status">>();
  const seriesOf = (method: string, status: string) => {
    const series = seriesByKey.get(method + status) ?? answered.labels(method, status);
    seriesByKey.set(method + status, series);
    return series;
  };
  countJobs(ctx, register);
  exposeMemory(ctx, kept, register);
  const pages = Router();
  pages.get("/metrics", async (req, res) => {
    if (!isOperator(ctx.config, req)) throw new NotFound("metrics");
    res.type(register.contentType).send(await register.metrics());
  });
  return {
    count(req, res, next) {
      const began = performance.now();
      res.once("finish", () => {
        // A stream of events lasts as long as its page is open.
        if (String(res.getHeader("Content-Type")).startsWith("text/event-stream")) return;
        const took = (performance.now() - began) / 1000;
        seriesOf(req.method, String(res.statusCode)).observe(took);
      });
      next();
    },
    pages,
  };
}

/** Read from Redis at each scrape, so any web process reports all workers. */
function countJobs(ctx: Ctx, register: Registry): void {
  const jobs = new Gauge({
    name: "suzume_jobs",
    help: "Jobs in each queue by state; those in state failed are dead letters.",
    labelNames: ["queue", "state"],
    registers: [register],
    async collect() {
      const counts = await ctx.jobs.counts().catch(() => []);
      for (const { queue, state, count } of counts) this.set({ queue, state }, count);
    },
  });
  jobs.reset();
}

/** What this process keeps: its copy of Redis data, see redis/memory.ts, and finished pages. */
function exposeMemory({ memory }: Ctx, kept: KeptPages, register: Registry): void {
  const reads = new Counter({
    name: "suzume_memory_reads_total",
    help: "Reads that the memory answered (hit), and reads that Redis did (miss).",
    labelNames: ["result"],
    registers: [register],
    collect() {
      const { hits, misses } = memory.stats();
      this.reset();
      this.inc({ result: "hit" }, hits);
      this.inc({ result: "miss" }, misses);
    },
  });
  reads.reset();
  for (const [fact, help] of Object.entries(keptPages))
    new Counter({
      name: `suzume_kept_pages_${fact}_total`,
      help,
      registers: [register],
      collect() {
        this.reset();
        this.inc(kept.stats()[fact as keyof typeof keptPages]);
      },
    }).reset();
  for (const [name, help, read] of gauges) {
    const gauge = new Gauge({
      name: `suzume_${name}`,
      help,
      registers: [register],
      collect() {
        this.set(Number(read(memory.stats(), kept.stats())));
      },
    });
    gauge.reset();
  }
}

const keptPages = {
  sent: "Pages that were sent again as they were.",
  remade: "Pages that were made anew but for their frame: navigation, session and site.",
} as const;

type Stats<Source extends { stats(): unknown }> = ReturnType<Source["stats"]>;
type Read = (memory: Stats<Ctx["memory"]>, pages: Stats<KeptPages>) => number | boolean;

const gauges: readonly (readonly [name: string, help: string, read: Read])[] = [
  [
    "memory_entries",
    "Keys of Redis of which the memory knows something.",
    ({ entries }) => entries,
  ],
  [
    "memory_bytes",
    "About how many bytes the memory takes; at most MEMORY_MEGABYTES.",
    ({ bytes }) => bytes,
  ],
  [
    "memory_tracking",
    "1 while Redis tells of every change; at 0 everything is read anew.",
    ({ tracking }) => tracking,
  ],
  [
    "kept_pages_bytes",
    "About how many bytes the finished pages take; at most a quarter of MEMORY_MEGABYTES.",
    (_memory, { bytes }) => bytes,
  ],
];
