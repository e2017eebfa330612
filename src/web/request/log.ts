import { randomUUID } from "node:crypto";
import type { RequestHandler } from "express";
import { pinoHttp } from "pino-http";
import type { Ctx } from "../../context.ts";

/** Gives each request an id and logs one line when it is answered: never a body, cookie or query. */
export function logRequests(ctx: Ctx): RequestHandler {
  const log = pinoHttp({
    logger: ctx.log,
    genReqId: () => randomUUID(),
    // The error itself is logged where it is answered.
    customLogLevel: () => "info",
    serializers: {
      req: (req: { id: string; method: string; url: string }) => ({
        id: req.id,
        method: req.method,
        // Node has refused CR and LF in it. The query is not logged: it may be private.
        path: withoutToken(req.url.split("?")[0]),
      }),
      res: (res: { statusCode: number }) => ({ status: res.statusCode }),
    },
  });
  if (ctx.log.isLevelEnabled("info")) return log;
  // Logging is off: only the id is needed, which error pages show.
  return (req, _res, next) => {
    req.id = randomUUID();
    next();
  };
}

/** The secret of a one-time link is part of its path, and may still be good. */
function withoutToken(path = ""): string {
  return path.replace(/^\/(reset|confirm|unsubscribe)\/.*/is, "/$1/…");
}
