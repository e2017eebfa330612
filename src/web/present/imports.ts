import type { Import, SkipReason } from "../../domain/accounts/import-store.ts";
import type { Words } from "../languages/words.ts";
import { presentTime } from "./time.ts";

const reasons: Readonly<Record<SkipReason, string>> = {
  malformed: "not understood",
  retweet: "retweet of a tweet that is not here",
  text: "empty, or too long",
  date: "no date that a tweet can have",
  recent: "less than a day old: can be imported tomorrow",
  moment: "of the very same moment as ten others",
  person: "follow of somebody who is not here",
  refused: "follow that is not possible",
  deleted: "deleted here",
};

/** How far an import got and what came of it. */
export function presentImport(words: Words, { startedAt, total, progress }: Import, now: number) {
  const { items, tweets, follows, known, skipped, done } = progress;
  const { isoTime, longTime } = presentTime(words, startedAt, now);
  const results: [number, string][] = [
    [tweets, "tweets imported"],
    [follows, "people followed"],
    [known, "already here"],
    ...Object.entries(skipped).map(([reason, count]): [number, string] => [
      count,
      `left out: ${reasons[reason as SkipReason]}`,
    ]),
  ];
  return {
    state: done ? "Done" : "Under way",
    done,
    startedIso: isoTime,
    startedText: longTime,
    value: items,
    max: Math.max(total, 1),
    text: `${words.number(items)} of ${words.number(total)}`,
    results: results
      .filter(([count]) => count > 0)
      .map(([count, what]) => `${words.number(count)} ${what}.`),
  };
}
