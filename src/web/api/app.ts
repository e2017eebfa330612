import { type ErrorRequestHandler, Router } from "express";
import type { Ctx } from "../../context.ts";
import { Forbidden, Invalid, NotFound, Unauthenticated } from "../../domain/errors.ts";
import { bearer } from "./bearer.ts";
import { statusesApi } from "./statuses.ts";
import { timelinesApi } from "./timelines.ts";

/** Provisional. */
export function apiRoutes(ctx: Ctx): Router {
  const router = Router();
  router.use("/api", bearer(ctx));
  router.use(statusesApi(ctx));
  router.use(timelinesApi(ctx));
  router.use("/api", () => {
    throw new NotFound("no such endpoint");
  });
  router.use("/api", answerJsonErrors);
  return router;
}

const answerJsonErrors: ErrorRequestHandler = (error: unknown, _req, res, next) => {
  const status = statusOf(error);
  if (status === undefined) next(error);
  else res.status(status).json({ error: String(error) });
};

function statusOf(error: unknown): number | undefined {
  if (error instanceof NotFound) return 404;
  if (error instanceof Unauthenticated) return 401;
  if (error instanceof Forbidden) return 403;
  return error instanceof Invalid ? 422 : undefined;
}
