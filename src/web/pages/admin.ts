import { type RequestHandler, Router } from "express";
import type { Ctx } from "../../context.ts";
import { Forbidden } from "../../domain/errors.ts";
import { foldName } from "../../domain/users/names.ts";
import { requireViewer } from "../middleware/session.ts";

/** Where the pages about the queues are; they need to know it themselves. */
export const boardPath = "/admin/queues";

/** They bring their own script, and styles that stand in the page. */
const boardPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join(";");

/** For those whom ADMINS names. */
export function adminPages(ctx: Ctx, board: RequestHandler): Router {
  const router = Router();
  router.use("/admin", (_req, res, next) => {
    const { name } = requireViewer(res);
    if (!ctx.config.admins.includes(foldName(name))) throw new Forbidden("no admin");
    next();
  });
  router.get("/admin", (_req, res) => {
    res.redirect(303, boardPath);
  });
  router.use(
    boardPath,
    (_req, res, next) => {
      res.setHeader("Content-Security-Policy", boardPolicy);
      next();
    },
    board,
  );
  return router;
}
