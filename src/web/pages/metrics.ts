import { createHash, timingSafeEqual } from "node:crypto";
import { type Request, type RequestHandler, Router } from "express";
import { collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Ctx } from "../../context.ts";
import { NotFound } from "../../domain/errors.ts";

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** What Prometheus asks for, and the middleware that counts. */
export function metrics(ctx: Ctx): { count: RequestHandler; pages: Router } {
  const register = new Registry();
  collectDefaultMetrics({ register });
  const answered = new Histogram({
    name: "suzume_http_seconds",
    help: "Time until a request was answered, by method and status.",
    labelNames: ["method", "status"],
    buckets: seconds,
    registers: [register],
  });
  // Looking a series up by its labels would take longer than counting.
  const known = new Map<string, Histogram.Internal<"method" | "status">>();
  const seriesOf = (method: string, status: string) => {
    const series = known.get(method + status) ?? answered.labels(method, status);
    known.set(method + status, series);
    return series;
  };
  countJobs(ctx, register);
  const pages = Router();
  pages.get("/metrics", async (req, res) => {
    if (!mayRead(ctx, req)) throw new NotFound("metrics");
    res.type(register.contentType).send(await register.metrics());
  });
  return {
    count(req, res, next) {
      const began = performance.now();
      res.once("finish", () => {
        // A stream of events lasts as long as somebody looks at a page.
        if (String(res.getHeader("Content-Type")).startsWith("text/event-stream")) return;
        const took = (performance.now() - began) / 1000;
        seriesOf(req.method, String(res.statusCode)).observe(took);
      });
      next();
    },
    pages,
  };
}

/** Read from Redis when asked, so any web process tells of all workers. */
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

/**
 * Who shows METRICS_TOKEN. Where none is set, this machine in development: in production a request from
 * this machine may be anybody's, passed on by a proxy.
 */
function mayRead({ config }: Ctx, req: Request): boolean {
  const { metricsToken, production } = config;
  if (metricsToken !== undefined) return isSame(req.get("authorization"), `Bearer ${metricsToken}`);
  const { headers, socket } = req;
  const passedOn = headers["x-forwarded-for"] !== undefined || headers["forwarded"] !== undefined;
  const isLocal = /^(::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? "");
  return !production && !passedOn && isLocal;
}

/** Takes the same time wherever the two differ. */
function isSame(given: string | undefined, wanted: string): boolean {
  return given !== undefined && timingSafeEqual(digest(given), digest(wanted));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
