import { type Request, type RequestHandler, Router } from "express";
import { collectDefaultMetrics, Counter, Histogram, Registry } from "prom-client";
import type { Ctx } from "../../../context.ts";
import { NotFound } from "../../../domain/errors.ts";
import { classNames } from "../../../domain/limit-classes.ts";
import { withoutCaching } from "../../../domain/scope.ts";
import { tallies } from "../../../domain/tallies.ts";
import type { Hub } from "../../live/hub.ts";
import type { KeptPages } from "../../server/page-cache.ts";
import { isOperator } from "./routes.ts";
import { addMetrics, addSiteMetrics } from "./view.ts";

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Metrics for Prometheus, and the middleware that counts. */
export function metrics(
  ctx: Ctx,
  kept: KeptPages,
  hub: Hub,
): { count: RequestHandler; pages: Router } {
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
    buckets: seconds,
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
