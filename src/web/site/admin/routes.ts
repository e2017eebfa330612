import type { Router } from "express";
import type { Ctx } from "../../../context.ts";
import { countApplicants } from "../../../domain/community/join.ts";
import { countOpenCases } from "../../../domain/moderation/store.ts";
import { userId } from "../../../domain/ids.ts";
import { daysUntil, type MeasuredDay, measuredDays } from "../../../domain/site/growth.ts";
import {
  hasUntrustedProxy,
  siteNumbers,
  type SiteNumbers,
  sum,
} from "../../../domain/site/numbers.ts";
import { contactOf, defaultName, type SiteSettings } from "../../../domain/site/settings.ts";
import { isAdmin } from "../../../domain/users/roles.ts";
import { findUsers, type User } from "../../../domain/users/store.ts";
import type { Key, Translator } from "../../languages/translator.ts";
import { presentMoment, presentShortDay } from "../../layout/time.ts";
import { guardAdminArea, mayDo } from "../../request/admin-area.ts";
import { requireReader } from "../../request/reader.ts";
import { peoplePages } from "../accounts/routes.ts";
import { blockPages } from "../blocklist/routes.ts";
import { sitePages } from "../branding/routes.ts";
import { requestPages, siteInvitationPages } from "../invitations/routes.ts";
import { moderationPages } from "../moderation/routes.ts";
import { queuePages } from "../queues/routes.ts";
import { resetLinkPages } from "../sign-in/rescue-routes.ts";

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
export function adminPages(router: Router, ctx: Ctx, secret: string): void {
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
    const largest = (days.at(-1)?.largest ?? []).map(({ id }) => userId(id));
    const accounts = await findUsers(ctx, largest);
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
  moderationPages(router, ctx);
  peoplePages(router, ctx, secret);
  blockPages(router, ctx, secret);
  siteInvitationPages(router, ctx);
  sitePages(router, ctx, secret);
  requestPages(router, ctx);
  resetLinkPages(router, ctx, secret);
  queuePages(router, ctx, secret);
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

/** Size of a chart; a page stretches it. */
const [width, height] = [600, 80];
/** Months. What is further away is not in sight. */
const inSight = 60;

/** What fills the site and how fast; undefined before the first day was measured. */
function presentGrowth(
  words: Translator,
  site: SiteNumbers,
  days: MeasuredDay[],
  accounts: ReadonlyMap<string, User>,
) {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const bytes = (size: number) => words.size(size);
  const count = (number: number) => words.number(number);
  const chart = (name: "memory" | "disk" | "people" | "tweets", show = count, limit = Infinity) => {
    const figures = days.flatMap((one) => one[name] ?? []);
    const most = Math.max(...figures, 1);
    const points = figures.map((figure, at) => {
      const x = (at / Math.max(figures.length - 1, 1)) * width;
      return `${Math.round(x)},${Math.round(height - 1 - (figure / most) * (height - 2))}`;
    });
    const months = Math.floor((daysUntil(limit, figures) ?? Infinity) / 30);
    return {
      name,
      points: points.join(" "),
      from: show(figures[0] ?? 0),
      to: show(figures.at(-1) ?? 0),
      full: months > inSight ? undefined : { ...words.counted(months), isSoon: months < 3 },
    };
  };
  const kinds = Object.entries(last.kinds).toSorted(([, one], [, other]) => other - one);
  const share = new Intl.NumberFormat(words.language, { style: "percent" });
  const all = sum(kinds, ([, size]) => size);
  return {
    from: presentShortDay(words, new Date(first.day)),
    to: presentShortDay(words, new Date(last.day)),
    charts: [
      chart("memory", bytes, site.memory.maxBytes),
      chart("disk", bytes, site.disk?.totalBytes),
      chart("people"),
      chart("tweets"),
    ].filter(({ points }) => points !== ""),
    kinds: [
      ...kinds.map(([kind, size]) => ({ kind, size, share: share.format(size / all) })),
      { kind: "data", size: site.fileBytes ?? 0 },
      { kind: "pictures", size: last.pictures },
    ],
    largest: last.largest.flatMap(({ id, ...one }) => {
      const { name } = accounts.get(id) ?? {};
      return name === undefined ? [] : { name, ...one };
    }),
  };
}
