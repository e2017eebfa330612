import type { Ctx } from "../../context.ts";
import type { SiteNumbers } from "../../domain/site/numbers.ts";
import { contactOf, defaultName, type SiteSettings } from "../../domain/site/settings.ts";
import { inviteForm } from "../forms/joining.ts";
import { failedJobForm } from "../forms/moderation.ts";
import { siteForm } from "../forms/site.ts";
import type { Key, Translator } from "../languages/translator.ts";
import { presentState, presentWeek } from "./numbers.ts";

/** Numbers of things that wait for a decision. */
export interface Waiting {
  reports: number;
  requests: number;
}

/** Pages of the desk, in the order of its list. */
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
export function presentFirstThings(ctx: Ctx, words: Translator, site: SiteSettings) {
  const things = [
    ["name", siteForm.action, site.name !== defaultName],
    ["rules", siteForm.action, site.rules !== ""],
    ["contact", siteForm.action, contactOf(ctx, site) !== undefined],
    ["logo", siteForm.action, site.logo !== ""],
    ["join", siteForm.action, undefined],
    ["backup", undefined, undefined],
    ["invite", inviteForm.action, undefined],
  ] as const;
  if (things.every(([, , isDone]) => isDone !== false)) return undefined;
  return things.map(([name, href, isDone]) => ({
    label: words.t(`site.first.${name}`),
    href,
    done: isDone === true ? words.t("site.first.done") : undefined,
  }));
}

/** Links to the pages that the viewer may open, the week in numbers and, for admins, the state of the site. */
export function presentDesk(
  words: Translator,
  { waiting, numbers, isForAdmin }: { waiting: Waiting; numbers: SiteNumbers; isForAdmin: boolean },
  mayOpen: (path: string) => boolean,
) {
  const open = pages.filter(([href]) => mayOpen(href));
  return {
    title: words.t(isForAdmin ? "nav.administration" : "nav.moderation"),
    week: presentWeek(words, numbers),
    state: isForAdmin ? presentState(words, numbers) : undefined,
    links: open.map(([href, label, count]) => ({
      href,
      label: words.t(label),
      count: count && words.number(waiting[count]),
    })),
  };
}
