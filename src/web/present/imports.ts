import type { Import, SkipReason } from "../../domain/accounts/import-store.ts";
import { presentNumber } from "./numbers.ts";
import { presentTime } from "./time.ts";

const reasons: Readonly<Record<SkipReason, string>> = {
  malformed: "could not be understood",
  retweet: "are retweets of tweets that are not here",
  text: "are empty or too long",
  date: "have no date, or one in the future",
  recent: "were less than a day old when this began: import the file again tomorrow",
  moment: "bear the very same moment as ten others",
  person: "are follows of people who are not here",
  refused: "are follows that are not possible",
  deleted: "were deleted here",
};

/** How far an import got and what came of it. */
export function presentImport({ startedAt, total, progress }: Import, now: number) {
  const { items, tweets, follows, known, skipped, done } = progress;
  const { isoTime, longTime } = presentTime(startedAt, now);
  const results: [number, string][] = [
    [tweets, "tweets were imported"],
    [follows, "people are followed now"],
    [known, "were here before"],
    ...Object.entries(skipped).map(([reason, count]): [number, string] => [
      count,
      `were left out, as they ${reasons[reason as SkipReason]}`,
    ]),
  ];
  return {
    state: done ? "Done" : "Under way",
    done,
    startedIso: isoTime,
    startedText: longTime,
    value: items,
    max: Math.max(total, 1),
    text: `${presentNumber(items)} of ${presentNumber(total)}`,
    results: results
      .filter(([count]) => count > 0)
      .map(([count, what]) => `${presentNumber(count)} ${what}.`),
  };
}
