import type { Ctx } from "../../../context.ts";
import type { Checkup } from "../../../domain/site/checkup.ts";
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
export function presentAdminArea(
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

/** The week of the site, a row for each day. */
function presentWeek(words: Translator, { week }: SiteNumbers) {
  return {
    around: words.t("numbers.around", words.counted(week.people)),
    days: week.days.map(({ day, ...numbers }) => ({
      day,
      name: presentShortDay(words, new Date(`${day}T00:00:00Z`)),
      signUps: words.number(numbers["sign-ups"]),
      people: words.number(numbers.people),
      tweets: words.number(numbers.tweets),
      reports: words.number(numbers.reports),
    })),
  };
}

/** State of jobs, memory, disk and data, as name and value. */
function presentState(words: Translator, numbers: SiteNumbers) {
  const { memory, fileBytes, disk, checkup } = numbers;
  const size = (bytes: number) => sizeOf(words, bytes);
  const used = size(memory.usedBytes);
  return [
    row(words.t("numbers.total"), [
      words.t("numbers.accountsSoFar", words.counted(numbers.accounts)),
      words.t("numbers.tweetsSoFar", words.counted(numbers.tweets)),
    ]),
    row(
      words.t("numbers.jobs"),
      [
        words.t("numbers.failed", words.counted(numbers.failedJobs)),
        words.t("numbers.waiting", words.counted(numbers.waitingJobs)),
      ],
      numbers.failedJobs > 0,
    ),
    row(
      words.t("numbers.memory"),
      [
        memory.maxBytes === undefined
          ? used
          : words.t("numbers.of", { used, total: size(memory.maxBytes) }),
        ...(memory.isCompact ? [] : [words.t("numbers.notCompact")]),
      ],
      memory.maxBytes !== undefined && memory.usedBytes > 0.9 * memory.maxBytes,
    ),
    ...(fileBytes === undefined ? [] : [row(words.t("numbers.data"), [size(fileBytes)])]),
    ...(disk === undefined
      ? []
      : [
          row(
            words.t("numbers.disk"),
            [words.t("numbers.free", { free: size(disk.freeBytes), total: size(disk.totalBytes) })],
            disk.freeBytes < 0.1 * disk.totalBytes,
          ),
        ]),
    checkup === undefined
      ? row(words.t("numbers.doctor"), [words.t("numbers.doctorNever")])
      : row(
          words.t("numbers.doctor"),
          [wordOf(words, checkup), presentMoment(words, checkup.at * 1000)],
          checkup.left > 0,
        ),
  ];
}

function wordOf(words: Translator, { findings, left }: Checkup): string {
  if (left > 0) return words.t("numbers.foundLeft", words.counted(left));
  return words.t(findings > 0 ? "numbers.foundRepaired" : "numbers.foundNothing");
}

type Value = string | ReturnType<typeof presentMoment>;

/** `isBad`: an admin should act. */
function row(name: string, values: Value[], isBad = false) {
  return { name, values, isBad };
}

/** "12.3 MB", "1.2 GB". */
function sizeOf(words: Translator, bytes: number): string {
  const format = new Intl.NumberFormat(words.language, { maximumFractionDigits: 1 });
  const isLarge = bytes >= 1e9;
  const size = format.format(bytes / (isLarge ? 1e9 : 1e6));
  return words.t(isLarge ? "numbers.gigabytes" : "numbers.megabytes", { size });
}
