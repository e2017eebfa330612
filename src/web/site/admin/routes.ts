import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../../context.ts";
import { rescueByAdmin } from "../../../domain/accounts/reset-links.ts";
import { countApplicants } from "../../../domain/community/applications.ts";
import { Invalid } from "../../../domain/errors.ts";
import { countOpenCases } from "../../../domain/moderation/store.ts";
import type { Problems } from "../../../domain/problems.ts";
import { hasUntrustedProxy, siteNumbers } from "../../../domain/site/numbers.ts";
import { isAdmin } from "../../../domain/users/roles.ts";
import { findUserByName, toName } from "../../../domain/users/store.ts";
import { freshNonce, readForm, showForm, textsOf } from "../../layout/form.ts";
import { guardAdminArea, mayDo } from "../../request/admin-area.ts";
import { confirmation } from "../../request/confirmation.ts";
import { formPage } from "../../request/refusals.ts";
import { requireViewer } from "../../request/session.ts";
import { siteUrl } from "../../server/send-public.ts";
import { peoplePages } from "../accounts/routes.ts";
import { blockPages } from "../blocklist/routes.ts";
import { sitePages } from "../branding/routes.ts";
import { siteInvitationPages } from "../invitations/routes.ts";
import { moderationPages } from "../moderation/routes.ts";
import { queuePages } from "../queues/routes.ts";
import { resetLinkForm } from "../sign-in/rescue-form.ts";
import { presentAdminArea, presentFirstThings } from "./view.ts";

/** Pages for moderators and admins. */
export function adminPages(ctx: Ctx, secret: string): Router {
  const router = Router();
  router.use("/admin", guardAdminArea(ctx));
  router.get("/admin", async (_req, res) => {
    const viewer = requireViewer(res);
    const [reports, requests, numbers, isUntrusted] = await Promise.all([
      countOpenCases(ctx),
      countApplicants(ctx),
      siteNumbers(ctx),
      hasUntrustedProxy(ctx),
    ]);
    const mayOpen = (path: string) => mayDo(ctx, viewer, "GET", path);
    const area = { waiting: { reports, requests }, numbers, isForAdmin: isAdmin(ctx, viewer) };
    res.render("admin/home", {
      ...presentAdminArea(res.locals.words, area, mayOpen),
      first: area.isForAdmin ? presentFirstThings(ctx, res.locals.site) : undefined,
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

/** Admins make links with which users set a new password; adminPages refuses other users. */
function resetLinkPages(ctx: Ctx, secret: string): Router {
  const router = Router();

  formPage(
    router,
    resetLinkForm.action,
    (req, res, problems) => showLinks(req, res, problems),
    confirmation(ctx, secret).first(),
    async (req, res) => {
      const { name, factors, ...rest } = readForm(resetLinkForm, req.body);
      const user = await findUserByName(ctx, toName(name));
      if (user === undefined) throw new Invalid({ name: "name.unknown" });
      const decision = {
        by: requireViewer(res).id,
        removesFactors: factors !== undefined,
        ...rest,
      };
      const url = `${siteUrl(ctx, req)}${await rescueByAdmin(ctx, decision, user)}`;
      // The only answer that has the link. Not a redirect: only its digest is stored.
      showLinks(req, res, {}, { name: user.name, url });
    },
  );

  return router;
}

function showLinks(
  req: Request,
  res: Response,
  problems: Problems,
  made?: { name: string; url: string },
): void {
  const { words } = res.locals;
  const typed: unknown = made === undefined ? (req.body ?? freshNonce()) : freshNonce();
  res.render("admin/reset", {
    title: `${words.t("moderation.resetLinks")} · ${words.t("nav.moderation")}`,
    form: showForm(words, resetLinkForm, typed, problems),
    removesFactors: textsOf(typed)["factors"] === "remove",
    made: made && { url: made.url, heading: words.t("moderation.linkFor", { name: made.name }) },
  });
}
