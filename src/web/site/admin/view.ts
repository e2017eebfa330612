import type { Ctx } from "../../../context.ts";
import type { SiteNumbers } from "../../../domain/site/numbers.ts";
import { type SiteSettings, contactOf, defaultName } from "../../../domain/site/settings.ts";
import type { Key, Translator } from "../../languages/translator.ts";
import { presentMoment, presentShortDay } from "../../layout/time.ts";
import { siteForm } from "../branding/form.ts";
import { inviteForm } from "../invitations/form.ts";
import { failedJobForm } from "../moderation/form.ts";

/** Numbers of things that wait for a decision. */
export interface Waiting {
  reports: number;
  requests: number;
}

/** Pages of the admin area, in the order of its list. */
const pages: readonly (readonly [href: string, label: Key, count?: keyof Waiting])[] = [
  ["/admin/reports", "moderation.reports", "reports"],
  ["/admin/requests", "joining.requests", "requests"],
  ["/admin/site", "site.title"],
  ["/admin/people", "people.title"],
  ["/admin/suspended", "moderation.suspended"],
  ["/admin/invitations", "joining.all"],
  ["/admin/blocks", "blocks.title"],
  ["/admin/reset", "moderation.resetLinks"],
  ["/admin/audit", "moderation.audit"],
  [failedJobForm.action, "queues.title"],
];

/** What a new site lacks, for its admins; undefined once all that can be checked is done. */
export function presentFirstThings(ctx: Ctx, site: SiteSettings) {
  const things = [
    { name: "name", href: siteForm.action, isDone: site.name !== defaultName },
    { name: "rules", href: siteForm.action, isDone: site.rules !== "" },
    { name: "contact", href: siteForm.action, isDone: contactOf(ctx, site) !== undefined },
    { name: "logo", href: siteForm.action, isDone: site.logo !== "" },
    { name: "join", href: siteForm.action },
    { name: "backup" },
    { name: "invite", href: inviteForm.action },
  ];
  return things.some(({ isDone }) => isDone === false) ? things : undefined;
}

/** Links to the pages that the viewer may open, the week in numbers and, for admins, the state of the site. */
export function presentAdminArea(
  words: Translator,
  { waiting, numbers, isForAdmin }: { waiting: Waiting; numbers: SiteNumbers; isForAdmin: boolean },
  mayOpen: (path: string) => boolean,
) {
  const { week, checkup } = numbers;
  return {
    title: words.t(isForAdmin ? "nav.administration" : "nav.moderation"),
    people: week.people,
    days: week.days.map((one) => ({
      ...one,
      name: presentShortDay(words, new Date(`${one.day}T00:00:00Z`)),
    })),
    numbers: isForAdmin ? numbers : undefined,
    checkedAt: checkup && presentMoment(words, checkup.at * 1000),
    links: pages
      .filter(([href]) => mayOpen(href))
      .map(([href, label, count]) => ({ href, label, count: count && waiting[count] })),
  };
}
