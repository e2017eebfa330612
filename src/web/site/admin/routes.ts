import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../../context.ts";
import { rescueByAdmin } from "../../../domain/accounts/reset-links.ts";
import { countApplicants } from "../../../domain/community/applications.ts";
import { Invalid } from "../../../domain/errors.ts";
import { countOpenCases } from "../../../domain/moderation/store.ts";
import type { Problems } from "../../../domain/problems.ts";
import { userId } from "../../../domain/ids.ts";
import { measuredDays } from "../../../domain/site/growth.ts";
import { hasUntrustedProxy, siteNumbers } from "../../../domain/site/numbers.ts";
import { contactOf, defaultName, type SiteSettings } from "../../../domain/site/settings.ts";
import { isAdmin } from "../../../domain/users/roles.ts";
import { findUserByName, findUsers, toName } from "../../../domain/users/store.ts";
import type { Key } from "../../languages/translator.ts";
import { freshNonce, readForm, showForm, textsOf } from "../../layout/form.ts";
import { presentMoment, presentShortDay } from "../../layout/time.ts";
import { guardAdminArea, mayDo } from "../../request/admin-area.ts";
import { confirmation } from "../../request/confirmation.ts";
import { requireReader } from "../../request/language.ts";
import { formPage } from "../../request/refusals.ts";
import { requireViewer } from "../../request/session.ts";
import { siteUrl } from "../../server/send-public.ts";
import { peoplePages } from "../accounts/routes.ts";
import { blockPages } from "../blocklist/routes.ts";
import { sitePages } from "../branding/routes.ts";
import { requestPages } from "../invitations/requests-routes.ts";
import { siteInvitationPages } from "../invitations/routes.ts";
import { moderationPages } from "../moderation/routes.ts";
import { titleOf } from "../moderation/view.ts";
import { queuePages } from "../queues/routes.ts";
import { resetLinkForm } from "../sign-in/rescue-form.ts";
import { presentGrowth } from "./view.ts";

/** Pages of the admin area, in the order of its list; `count`: what waits there for a decision. */
const pages: readonly (readonly [href: string, label: Key, count?: "reports" | "requests"])[] = [
  ["/admin/reports", "moderation.reports", "reports"],
  ["/admin/requests", "joining.requests", "requests"],
  ["/admin/site", "site.title"],
  ["/admin/people", "people.title"],
  ["/admin/suspended", "moderation.suspended"],
  ["/admin/invitations", "joining.all"],
  ["/admin/blocks", "blocks.title"],
  ["/admin/reset", "moderation.resetLinks"],
  ["/admin/audit", "moderation.audit"],
  ["/admin/queues", "queues.title"],
];

/** Milliseconds: two days without a backup are too many. */
const backupAge = 2 * 24 * 60 * 60 * 1000;

/** Pages for moderators and admins: links to those that the viewer may open, and the site in numbers. */
export function adminPages(ctx: Ctx, secret: string): Router {
  const router = Router();
  router.use("/admin", guardAdminArea(ctx));
  router.get("/admin", async (_req, res) => {
    const { viewer, words } = requireReader(res);
    const [reports, requests, numbers, days, isUntrusted] = await Promise.all([
      countOpenCases(ctx),
      countApplicants(ctx),
      siteNumbers(ctx),
      measuredDays(ctx),
      hasUntrustedProxy(ctx),
    ]);
    const waiting = { reports, requests };
    const { week, checkup, backupAt } = numbers;
    const isForAdmin = isAdmin(ctx, viewer);
    const largest = days.at(-1)?.largest ?? [];
    const accounts = await findUsers(
      ctx,
      largest.map(({ id }) => userId(id)),
    );
    res.render("admin/home", {
      title: words.t(isForAdmin ? "nav.administration" : "nav.moderation"),
      people: week.people,
      days: week.days.map((one) => ({
        ...one,
        name: presentShortDay(words, new Date(`${one.day}T00:00:00Z`)),
      })),
      numbers: isForAdmin ? numbers : undefined,
      checkedAt: checkup && presentMoment(words, checkup.at * 1000),
      backupAt: backupAt && presentMoment(words, backupAt * 1000),
      isBackupOld: backupAt === undefined || ctx.now() - backupAt > backupAge,
      growth: isForAdmin ? presentGrowth(words, numbers, days, accounts) : undefined,
      links: pages
        .filter(([href]) => mayDo(ctx, viewer, "GET", href))
        .map(([href, label, count]) => ({ href, label, count: count && waiting[count] })),
      first: isForAdmin ? presentFirstThings(ctx, res.locals.site) : undefined,
      hasUntrustedProxy: isUntrusted,
    });
  });
  router.use(moderationPages(ctx));
  router.use(peoplePages(ctx, secret));
  router.use(blockPages(ctx, secret));
  router.use(siteInvitationPages(ctx));
  router.use(sitePages(ctx, secret));
  router.use(requestPages(ctx));
  router.use(resetLinkPages(ctx, secret));
  router.use(queuePages(ctx, secret));
  return router;
}

/** What a new site lacks, for its admins; undefined once all that can be checked is done. */
function presentFirstThings(ctx: Ctx, site: SiteSettings) {
  const href = "/admin/site";
  const things = [
    { name: "name", href, isDone: site.name !== defaultName },
    { name: "rules", href, isDone: site.rules !== "" },
    { name: "contact", href, isDone: contactOf(ctx, site) !== undefined },
    { name: "logo", href, isDone: site.logo !== "" },
    { name: "join", href },
    { name: "backup" },
    { name: "invite", href: "/settings/invitations" },
  ];
  return things.some(({ isDone }) => isDone === false) ? things : undefined;
}

/** Admins make links with which users set a new password; adminPages refuses other users. */
function resetLinkPages(ctx: Ctx, secret: string): Router {
  const router = Router();

  formPage(
    router,
    resetLinkForm.action,
    showLinks,
    confirmation(ctx, secret).first(),
    async (req, res) => {
      const { name, factors, ...rest } = readForm(resetLinkForm, req.body);
      const user = await findUserByName(ctx, toName(name));
      if (user === undefined) throw new Invalid({ name: "name.unknown" });
      const by = requireViewer(res).id;
      const decision = { by, removesFactors: factors !== undefined, ...rest };
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
    title: titleOf(words, "moderation.resetLinks"),
    form: showForm(words, resetLinkForm, typed, problems),
    removesFactors: textsOf(typed)["factors"] === "remove",
    made,
  });
}
