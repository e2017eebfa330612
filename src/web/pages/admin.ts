import { Router } from "express";
import type { Ctx } from "../../context.ts";
import { countApplicants } from "../../domain/community/applications.ts";
import { hasUntrustedProxy } from "../../domain/site/untrusted-proxy.ts";
import { countOpenCases } from "../../domain/moderation/store.ts";
import { siteNumbers } from "../../domain/site/numbers.ts";
import { isAdmin } from "../../domain/users/roles.ts";
import { guardDesk, mayDo } from "../middleware/desk.ts";
import { requireViewer } from "../middleware/session.ts";
import { presentDesk, presentFirstThings } from "../present/desk.ts";
import { sitePages } from "./admin-site.ts";
import { blockPages } from "./blocks.ts";
import { moderationPages } from "./moderation.ts";
import { peoplePages } from "./people.ts";
import { queuePages } from "./queues.ts";
import { resetLinkPages } from "./reset-links.ts";
import { siteInvitationPages } from "./site-invitations.ts";

/** Pages for moderators and admins. */
export function adminPages(ctx: Ctx, secret: string): Router {
  const router = Router();
  router.use("/admin", guardDesk(ctx));
  router.get("/admin", async (_req, res) => {
    const viewer = requireViewer(res);
    const [reports, requests, numbers, isUntrusted] = await Promise.all([
      countOpenCases(ctx),
      countApplicants(ctx),
      siteNumbers(ctx),
      hasUntrustedProxy(ctx),
    ]);
    const mayOpen = (path: string) => mayDo(ctx, viewer, "GET", path);
    const desk = { waiting: { reports, requests }, numbers, isForAdmin: isAdmin(ctx, viewer) };
    res.render("admin/home", {
      ...presentDesk(res.locals.words, desk, mayOpen),
      first: desk.isForAdmin
        ? presentFirstThings(ctx, res.locals.words, res.locals.site)
        : undefined,
      hasUntrustedProxy: isUntrusted,
    });
  });
  router.use(moderationPages(ctx));
  router.use(peoplePages(ctx, secret));
  router.use(blockPages(ctx, secret));
  router.use(siteInvitationPages(ctx));
  router.use(sitePages(ctx, secret));
  router.use(resetLinkPages(ctx, secret));
  router.use(queuePages(ctx, secret));
  return router;
}
