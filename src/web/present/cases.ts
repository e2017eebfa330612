import type { Ctx } from "../../context.ts";
import type { UserId } from "../../domain/ids.ts";
import type { Case, Report } from "../../domain/moderation/store.ts";
import { serializeSubject } from "../../domain/moderation/subject.ts";
import type { SubjectFacts } from "../../domain/moderation/facts.ts";
import type { Tweet } from "../../domain/tweets/tweet.ts";
import { isAdmin } from "../../domain/users/roles.ts";
import type { User } from "../../domain/users/store.ts";
import { type FormView, showForm } from "../forms/form.ts";
import { decisionForm, freshAct } from "../forms/moderation.ts";
import type { Translator } from "../languages/translator.ts";
import { type NameView, presentName } from "./people.ts";
import { presentText } from "./text.ts";
import { presentTime, type TimeView } from "./time.ts";
import type { CardView } from "./tweets.ts";

interface ReportView extends TimeView {
  reporter: NameView | undefined;
  reason: string;
  comment: string;
}

export interface CaseView {
  id: string;
  heading: string;
  /** Reported tweet, if it still exists. */
  tweet: CardView | undefined;
  /** Reported user, or the author of the reported tweet. */
  person: (NameView & { bio: string }) | undefined;
  suspended: string | undefined;
  reports: ReportView[];
  earlier: string | undefined;
  form: FormView;
  verbs: { verb: string; label: string }[];
}

/** Cases for the queue. Reported tweets and users are shown even if hidden elsewhere. */
export function presentCases(
  ctx: Ctx,
  words: Translator,
  cases: Case[],
  facts: SubjectFacts,
): CaseView[] {
  return cases.map((one) => presentCase(ctx, words, one, facts));
}

function presentCase(
  ctx: Ctx,
  words: Translator,
  one: Case,
  { tweets, authors, users }: SubjectFacts,
): CaseView {
  const { subject, reports, earlier } = one;
  const id = serializeSubject(subject);
  const tweet = subject.kind === "tweet" ? tweets.get(subject.tweet) : undefined;
  const personId = subject.kind === "tweet" ? authors.get(subject.tweet) : subject.person;
  const person = personId === undefined ? undefined : users.get(personId);
  return {
    id,
    heading: words.t(`moderation.${subject.kind}Reported`, words.counted(reports.length)),
    tweet: tweet && person && presentCard(words, tweet, person, ctx.now()),
    person: person && { ...presentName(person), bio: person.bio },
    suspended:
      person?.suspended === true
        ? words.t("moderation.isSuspended", { name: person.name })
        : undefined,
    reports: reports.map((report) => presentReport(words, report, users, ctx.now())),
    earlier: earlier === 0 ? undefined : words.t("moderation.earlier", words.counted(earlier)),
    form: showForm(words, decisionForm, { subject: id, ...freshAct() }),
    verbs: [
      { verb: "dismiss", label: words.t("moderation.dismiss") },
      ...(tweet === undefined ? [] : [{ verb: "remove", label: words.t("moderation.remove") }]),
      ...(subject.kind === "tweet" || person === undefined ? [] : partsOf(words, person)),
      ...(person === undefined || person.suspended || isAdmin(ctx, person)
        ? []
        : [{ verb: "suspend", label: words.t("moderation.suspendPerson", { name: person.name }) }]),
    ],
  };
}

/** Parts of a profile that can be removed without suspending its owner. */
function partsOf(words: Translator, { avatar, fullname, name, bio, website }: User) {
  const parts = [
    { verb: "picture", label: words.t("moderation.removePicture"), isThere: avatar !== "" },
    { verb: "fullname", label: words.t("moderation.removeFullname"), isThere: fullname !== name },
    { verb: "bio", label: words.t("moderation.removeBio"), isThere: bio !== "" || website !== "" },
  ];
  return parts.filter(({ isThere }) => isThere).map(({ verb, label }) => ({ verb, label }));
}

function presentCard(words: Translator, tweet: Tweet, author: User, now: number): CardView {
  return {
    url: `/tweets/${tweet.id}`,
    author: presentName(author),
    parts: presentText(tweet.text, tweet.mentions),
    ...presentTime(words, tweet.createdAt, now),
  };
}

function presentReport(
  words: Translator,
  { reporter, reason, comment, stamp }: Report,
  users: ReadonlyMap<UserId, User>,
  now: number,
): ReportView {
  const user = users.get(reporter);
  return {
    reporter: user && presentName(user),
    reason: words.t(`reports.reason.${reason}`),
    comment,
    ...presentTime(words, stamp, now),
  };
}
