import { type RequestHandler, Router } from "express";
import type { Ctx } from "../../context.ts";
import { Forbidden } from "../../domain/errors.ts";
import { countApplicants } from "../../domain/community/applications.ts";
import { hasUntrustedProxy } from "../../domain/site/untrusted-proxy.ts";
import { countOpenCases } from "../../domain/moderation/store.ts";
import { isAdmin } from "../../domain/users/roles.ts";
import { requireViewer } from "../middleware/session.ts";
import { sitePages } from "./admin-site.ts";
import { moderationPages } from "./moderation.ts";
import { resetLinkPages } from "./reset-links.ts";

/** Path of the pages about the queues, which need to know it themselves. */
export const boardPath = "/admin/queues";

/** These pages bring their own script and inline styles. */
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

/** Pages for the users named in ADMINS. */
export function adminPages(ctx: Ctx, secret: string, board: RequestHandler): Router {
  const router = Router();
  router.use("/admin", (_req, res, next) => {
    if (!isAdmin(ctx, requireViewer(res))) throw new Forbidden("no admin");
    next();
  });
  router.get("/admin", async (_req, res) => {
    const { words } = res.locals;
    res.render("admin/home", {
      title: words.t("nav.moderation"),
      open: words.number(await countOpenCases(ctx)),
      applicants: words.number(await countApplicants(ctx)),
      hasUntrustedProxy: await hasUntrustedProxy(ctx),
      boardPath,
    });
  });
  router.use(moderationPages(ctx));
  router.use(sitePages(ctx, secret));
  router.use(resetLinkPages(ctx, secret));
  router.use(
    boardPath,
    (_req, res, next) => {
      res.setHeader("Content-Security-Policy", boardPolicy);
      next();
    },
    (req, res, next) => {
      // The board is another Express app, which replaces the prototypes of request and response.
      const [ofRequest, ofResponse] = [
        Object.getPrototypeOf(req),
        Object.getPrototypeOf(res),
      ] as object[];
      board(req, res, (error?: unknown) => {
        Object.setPrototypeOf(req, ofRequest ?? null);
        Object.setPrototypeOf(res, ofResponse ?? null);
        next(error);
      });
    },
  );
  return router;
}
