import { z } from "zod";
import type { Ctx } from "../../../context.ts";
import type { Case } from "../../../domain/moderation/store.ts";
import {
  parseSubject,
  readSubjects,
  serializeSubject,
  type Subject,
  type SubjectFacts,
} from "../../../domain/moderation/audit.ts";
import type { Page } from "../../../domain/page.ts";
import type { Stamp, TweetId } from "../../../domain/ids.ts";
import { isOpen } from "../../../domain/tweets/audience.ts";
import type { Tweet } from "../../../domain/tweets/tweet.ts";
import { historyOf } from "../../../domain/tweets/versions.ts";
import { factFields } from "../../../domain/profile-fields.ts";
import { isModerator } from "../../../domain/users/roles.ts";
import type { User } from "../../../domain/users/store.ts";
import type { Key, Translator } from "../../languages/translator.ts";
import { anyText, formOf, nonce, showForm } from "../../layout/form.ts";
import { presentName } from "../../layout/people.ts";
import { presentHeader } from "../../layout/pictures.ts";
import { presentTime } from "../../layout/time.ts";
import { type CardView, presentCard } from "../../layout/tweet.ts";
import { presentHistory } from "../tweets/view.ts";

/** An id in a hidden field, as `parse` understands it. */
export const idField = <Id>(parse: (raw: string) => Id | undefined) =>
  z.string().transform((raw, { addIssue }) => {
    const id = parse(raw);
    if (id !== undefined) return id;
    addIssue("no such id");
    return z.NEVER;
  });

/** Form beside each case; its buttons are the verbs. */
export const decisionForm = formOf("/admin/reports", {
  fields: {
    note: anyText,
    verb: z.enum(["look", "dismiss", "remove", "suspend", "picture", "header", "fullname", "bio"]),
  },
  hidden: { subject: idField(parseSubject), nonce },
});

export const suspendForm = formOf("/admin/suspended", {
  fields: { name: z.string(), note: anyText, verb: z.enum(["suspend", "reinstate"]) },
  hidden: { nonce },
});

/**
 * Cases for admins, oldest first. Reported tweets and users are shown even if hidden elsewhere; a tweet that not everyone
 * may see only if it is the one `looked` at, which the audit log notes.
 */
export async function presentCases(
  ctx: Ctx,
  words: Translator,
  { items, older }: Page<Case>,
  after: Stamp | undefined,
  looked?: TweetId,
) {
  const subjects = items.map(({ subject }) => subject);
  const reporters = items.flatMap(({ reports }) => reports.map(({ reporter }) => reporter));
  const facts = await readSubjects(ctx, subjects, reporters);
  const { action } = decisionForm;
  const more = { href: `${action}?after=${older}`, label: words.t("moderation.moreReports") };
  const oldest = { href: action, label: words.t("moderation.backToOldest") };
  return {
    title: titleOf(words, "moderation.reports"),
    cases: await Promise.all(items.map((one) => presentCase(ctx, words, one, { facts, looked }))),
    emptyMessage: items.length === 0 ? words.t("moderation.noReports") : undefined,
    older: older === undefined ? undefined : more,
    newest: after === undefined ? undefined : oldest,
  };
}

async function presentCase(
  ctx: Ctx,
  words: Translator,
  { subject, reports, earlier }: Case,
  { facts, looked }: { facts: SubjectFacts; looked: TweetId | undefined },
) {
  const id = serializeSubject(subject);
  const tweet = subject.kind === "tweet" ? facts.tweets.get(subject.tweet) : undefined;
  const person = personOf(subject, facts);
  const isClosed = tweet && person && tweet.id !== looked && !isOpen(tweet, person);
  return {
    id,
    kind: subject.kind,
    closed: isClosed === true ? words.t("moderation.closed") : undefined,
    // Undefined if it no longer exists.
    tweet:
      tweet &&
      person &&
      isClosed === false &&
      coverPictures(words, presentCard(words, tweet, person, { now: ctx.now() })),
    earlierVersions: tweet && (await presentEarlier(ctx, words, tweet)),
    person: person && { ...presentName(person), bio: person.bio, pictures: coverOf(words, person) },
    isSuspended: person?.suspended === true,
    reports: reports.map(({ reporter, stamp, ...report }) => {
      const user = facts.users.get(reporter);
      const time = presentTime(words, stamp, ctx.now());
      return { ...report, reporter: user && presentName(user), ...time };
    }),
    earlier,
    form: showForm(words, decisionForm, { subject: id }),
    verbs: [
      ...(isClosed === true ? ["look"] : []),
      "dismiss",
      ...(tweet === undefined ? [] : ["remove"]),
      ...(subject.kind === "tweet" || person === undefined ? [] : partsOf(person)),
      ...(person === undefined || person.suspended || isModerator(ctx, person) ? [] : ["suspend"]),
    ],
  };
}

/**
 * What a reported tweet was before its edits; undefined if it was never edited. Its own page does not show it to
 * moderators that the author has blocked, or if the author is suspended.
 */
async function presentEarlier(ctx: Ctx, words: Translator, tweet: Tweet) {
  if (tweet.editedAt === undefined) return undefined;
  const { title, note, versions } = presentHistory(ctx, words, tweet, await historyOf(ctx, tweet));
  return { title, note, versions: versions.slice(1).map((one) => coverPictures(words, one)) };
}

/** Moderators decide when they look at reported pictures. */
function coverPictures<Card extends Pick<CardView, "pictures">>(
  words: Translator,
  { pictures, ...card }: Card,
) {
  const cover = pictures?.cover ?? words.t("moderation.reportedPictures");
  return { ...card, pictures: pictures && { ...pictures, cover } };
}

/** The profile and header picture of a user, under a cover; undefined if there are none. */
function coverOf(words: Translator, person: User) {
  const header = presentHeader(person);
  const avatar = person.avatar === "" ? undefined : presentName(person);
  if (header === undefined && avatar === undefined) return undefined;
  return { cover: words.t("moderation.reportedPictures"), header, avatar };
}

/** The reported user, or the author of the reported tweet. */
export function personOf(subject: Subject, { authors, users }: SubjectFacts): User | undefined {
  const id = subject.kind === "tweet" ? authors.get(subject.tweet) : subject.person;
  return id === undefined ? undefined : users.get(id);
}

/** Parts of a profile that can be removed without suspending its owner. */
function partsOf({ avatar, header, fullname, name, ...user }: User): string[] {
  const parts = {
    picture: avatar !== "",
    header: header !== "",
    fullname: fullname !== name,
    bio: factFields.some((field) => user[field] !== ""),
  };
  return Object.entries(parts).flatMap(([part, isThere]) => (isThere ? [part] : []));
}

export function titleOf(words: Translator, name: Key): string {
  return `${words.t(name)} · ${words.t("nav.moderation")}`;
}
