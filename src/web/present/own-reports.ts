import type { Ctx } from "../../context.ts";
import type { OwnReport } from "../../domain/moderation/outcomes.ts";
import { readSubjects, type SubjectFacts } from "../../domain/moderation/subject.ts";
import type { SignedInReader, Translator } from "../languages/translator.ts";
import { personOf } from "./moderation.ts";
import { settingsFrame } from "./settings.ts";
import { presentMoment } from "./time.ts";

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
