import type { SiteNumbers } from "../../domain/site/numbers.ts";
import type { Key, Translator } from "../languages/translator.ts";
import { presentState, presentWeek } from "./numbers.ts";

/** Path of the pages about the queues, which need to know it themselves. */
export const boardPath = "/admin/queues";

/** Numbers of things that wait for a decision. */
export interface Waiting {
  reports: number;
  requests: number;
}

/** Pages of the desk, in the order of its list. */
const pages: readonly (readonly [href: string, label: Key, count?: keyof Waiting])[] = [
  ["/admin/reports", "moderation.reports", "reports"],
  ["/admin/requests", "joining.requests", "requests"],
  ["/admin/people", "people.title"],
  ["/admin/suspended", "moderation.suspended"],
  ["/admin/invitations", "joining.all"],
  ["/admin/blocks", "blocks.title"],
  ["/admin/site", "site.title"],
  ["/admin/reset", "moderation.resetLinks"],
  ["/admin/audit", "moderation.audit"],
  [boardPath, "moderation.queues"],
];

/** Links to the pages that the viewer may open, the week in numbers and, for admins, the state of the site. */
export function presentDesk(
  words: Translator,
  { waiting, numbers, isForAdmin }: { waiting: Waiting; numbers: SiteNumbers; isForAdmin: boolean },
  mayOpen: (path: string) => boolean,
) {
  const open = pages.filter(([href]) => mayOpen(href));
  return {
    title: words.t("nav.moderation"),
    week: presentWeek(words, numbers),
    state: isForAdmin ? presentState(words, numbers) : undefined,
    links: open.map(([href, label, count]) => ({
      href,
      label: words.t(label),
      count: count && words.number(waiting[count]),
      // Bull Board is an app of its own.
      isForeign: href === boardPath,
    })),
  };
}
