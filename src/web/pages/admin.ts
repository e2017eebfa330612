import { type RequestHandler, Router } from "express";
import type { Ctx } from "../../context.ts";
import { countApplicants } from "../../domain/community/applications.ts";
import { countOpenCases } from "../../domain/moderation/store.ts";
import { guardDesk, mayDo } from "../middleware/desk.ts";
import { requireViewer } from "../middleware/session.ts";
import { boardPath, presentDesk } from "../present/desk.ts";
import { sitePages } from "./admin-site.ts";
import { blockPages } from "./blocks.ts";
import { moderationPages } from "./moderation.ts";
import { peoplePages } from "./people.ts";
import { resetLinkPages } from "./reset-links.ts";
import { siteInvitationPages } from "./site-invitations.ts";

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

/** Pages for moderators and admins. */
export function adminPages(ctx: Ctx, board: RequestHandler): Router {
  const router = Router();
  router.use("/admin", guardDesk(ctx));
  router.get("/admin", async (_req, res) => {
    const viewer = requireViewer(res);
    const [reports, requests] = await Promise.all([countOpenCases(ctx), countApplicants(ctx)]);
    const mayOpen = (path: string) => mayDo(ctx, viewer, "GET", path);
    res.render("admin/home", presentDesk(res.locals.words, { reports, requests }, mayOpen));
  });
  router.use(moderationPages(ctx));
  router.use(peoplePages(ctx));
  router.use(blockPages(ctx));
  router.use(siteInvitationPages(ctx));
  router.use(sitePages(ctx));
  router.use(resetLinkPages(ctx));
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
