import type { Ctx } from "../../../context.ts";
import type { UserId } from "../../../domain/ids.ts";
import type { AuditEntry } from "../../../domain/moderation/audit.ts";
import type { OwnReport } from "../../../domain/moderation/outcomes.ts";
import { type SubjectFacts, readSubjects } from "../../../domain/moderation/subject.ts";
import type { Page } from "../../../domain/page.ts";
import type { SiteSettings } from "../../../domain/site/settings.ts";
import type { Stamp } from "../../../domain/stamp.ts";
import type { User } from "../../../domain/users/store.ts";
import type { Key, Reader, SignedInReader, Translator } from "../../languages/translator.ts";
import { presentPaging } from "../../layout/paging.ts";
import { presentMoment, presentTime } from "../../layout/time.ts";
import { settingsFrame } from "../settings/view.ts";
import { personOf, titleOf } from "./view.ts";

/** What /admin/site calls its settings. */
const settingNames: Readonly<Record<keyof SiteSettings, Key>> = {
  signUp: "site.signUp",
  read: "site.read",
  membersInvite: "site.membersInvite",
  name: "site.name",
  tagline: "site.tagline",
  description: "site.description",
  rules: "site.rules",
  contact: "site.contact",
  announcement: "site.announcement",
  accent: "site.accent",
  logo: "site.logo",
};

/** The audit log: who did what to which user or tweet. */
export async function presentAudit(
  ctx: Ctx,
  reader: Reader,
  page: Page<AuditEntry & { stamp: Stamp }>,
) {
  const { words } = reader;
  const { items } = page;
  const subjects = items.map(({ subject }) => subject);
  const moderators = items.flatMap(({ by }) => by ?? []);
  const facts = await readSubjects(ctx, subjects, moderators);
  return {
    title: titleOf(words, "moderation.audit"),
    entries: items.map((entry) => ({
      sentence: presentEntry(words, entry, facts),
      note: noteOf(words, entry),
      ...presentTime(words, entry.stamp, ctx.now()),
    })),
    ...presentPaging(reader, "/admin/audit", page, "moderation.noEntries"),
  };
}

/** The note as its author wrote it; that of a change of settings lists their names. */
function noteOf(words: Translator, { verb, note }: AuditEntry): string {
  if (verb !== "site") return note;
  const known = new Map<string, Key>(Object.entries(settingNames));
  const labels = note.split(", ").map((name) => {
    const key = known.get(name);
    return key === undefined ? name : words.t(key);
  });
  return labels.join(" · ");
}

function presentEntry(words: Translator, { by, verb, subject }: AuditEntry, facts: SubjectFacts) {
  const tweet = (id: string) => ({
    href: `/tweets/${id}`,
    text: words.t("moderation.tweet", { id }),
  });
  const actor = (id: UserId) =>
    linkTo(facts.users.get(id)) ?? words.t("moderation.deletedAccountFirst");
  return words.pieces<{ href: string; text: string }>(`moderation.did.${verb}`, {
    about: subject.kind,
    by: by === undefined ? words.t("moderation.operator") : actor(by),
    person: linkTo(personOf(subject, facts)) ?? words.t("moderation.deletedAccount"),
    ...(subject.kind === "tweet" ? { tweet: tweet(subject.tweet) } : {}),
  });
}

function linkTo(user: User | undefined) {
  return user && { href: `/@${user.name}`, text: `@${user.name}` };
}

export const ownReportsPath = "/settings/reports";

/** What became of the viewer's reports. The names of tweets and users lead to their pages, which decide who sees them. */
export async function presentOwnReports(ctx: Ctx, { words }: SignedInReader, reports: OwnReport[]) {
  const subjects = reports.map(({ subject }) => subject);
  const facts = await readSubjects(ctx, subjects, []);
  return {
    ...settingsFrame(words, ownReportsPath, "reports.yours"),
    reports: reports.map((report) => ({
      about: presentSubject(words, report, facts),
      state: words.pieces(`reports.state.${report.state}`, {
        time: presentMoment(words, report.stamp),
      }),
    })),
    emptyMessage: reports.length === 0 ? words.t("reports.noneYet") : undefined,
  };
}

function presentSubject(words: Translator, { subject }: OwnReport, facts: SubjectFacts) {
  const person = personOf(subject, facts);
  if (person === undefined)
    return { text: words.t(`reports.gone.${subject.kind}`), href: undefined };
  const name = `@${person.name}`;
  if (subject.kind === "person") return { text: name, href: `/${name}` };
  const href = facts.tweets.has(subject.tweet) ? `/tweets/${subject.tweet}` : undefined;
  return { text: words.t("reports.tweetBy", { name }), href };
}
