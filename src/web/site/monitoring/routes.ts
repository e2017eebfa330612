import { type Request, type RequestHandler, Router } from "express";
import type { Config } from "../../../config.ts";
import type { Ctx } from "../../../context.ts";
import { Unavailable } from "../../../domain/errors.ts";
import { folderTrouble } from "../../../domain/pictures/files.ts";
import { digestOf, isSameSecret } from "../../../domain/secrets.ts";

/** State of Redis, as this process sees it. */
export interface RedisStatus {
  /** What does not work now, in words; empty if all is well. */
  look(): Promise<string[]>;
  /** True while Redis might drop data that it has accepted. */
  refusesWrites(): boolean;
  /** False while the data is of an older version: no page can be made of it. */
  isCurrent(): boolean;
}

/**
 * Endpoints for platforms and load balancers, without session or page. `/healthz` checks the process
 * only, `/readyz` also Redis and the folder of pictures. Details, with addresses, are for operators only. Not ready after `ending`
 * is aborted.
 */
export function healthPages(
  ctx: Ctx,
  redis: RedisStatus | undefined,
  ending: AbortSignal | undefined,
): Router {
  const look = redis?.look ?? (() => pingRedis(ctx));
  let folder = { until: 0, trouble: Promise.resolve<string | undefined>(undefined) };
  /** Shared for a second: each check writes a file, and anyone may ask. */
  const lookAtFolder = () => {
    const now = performance.now();
    if (now >= folder.until) folder = { until: now + 1000, trouble: folderTrouble(ctx) };
    return folder.trouble;
  };
  const router = Router();
  router.get("/healthz", (_req, res) => {
    res.set("Cache-Control", "no-store").type("text").send("ok\n");
  });
  router.get("/readyz", async (req, res) => {
    const troubles =
      ending?.aborted === true
        ? ["ending"]
        : (await Promise.all([look(), lookAtFolder()])).flatMap((trouble) => trouble ?? []);
    const shown = isOperator(ctx.config, req) ? troubles : ["not ready; the log says why"];
    res.set("Cache-Control", "no-store").status(troubles.length === 0 ? 200 : 503);
    res.type("text").send(`${troubles.length === 0 ? "ok" : shown.join("\n")}\n`);
  });
  return router;
}

async function pingRedis({ redis }: Ctx): Promise<string[]> {
  return await redis.ping().then(
    () => [],
    () => ["Redis does not answer"],
  );
}

/**
 * Refuses everything while the data is being upgraded, and writes, from forms and apps, to a Redis that drops
 * data when it is full: acknowledged data must stay.
 */
export function refuseUnsafe(redis: RedisStatus | undefined): RequestHandler {
  return (req, _res, next) => {
    const reads = req.method === "GET" || req.method === "HEAD" || req.method === "OPTIONS";
    if (redis?.isCurrent() === false) next(new Unavailable("the data is being upgraded"));
    else if (!reads && redis?.refusesWrites() === true)
      next(new Unavailable("Redis would drop data"));
    else next();
  };
}

/**
 * True for requests with METRICS_TOKEN. Without that setting, true for this machine in development
 * only: in production a proxy may forward any client's request from this machine.
 */
export function isOperator({ metricsToken, production }: Config, req: Request): boolean {
  if (metricsToken !== undefined)
    // Digests, so that even the length stays unknown.
    return isSameSecret(
      digestOf(req.get("authorization") ?? ""),
      digestOf(`Bearer ${metricsToken}`),
    );
  const { headers, socket } = req;
  const passedOn = headers["x-forwarded-for"] !== undefined || headers["forwarded"] !== undefined;
  const isLocal = /^(::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? "");
  return !production && !passedOn && isLocal;
}
