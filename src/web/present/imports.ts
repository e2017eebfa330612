import type { Import, SkipReason } from "../../domain/accounts/import-store.ts";
import type { Key, Translator } from "../languages/translator.ts";
import { presentTime } from "./time.ts";

/** Progress and results of an import. */
export function presentImport(
  words: Translator,
  { startedAt, total, progress }: Import,
  now: number,
) {
  const { items, tweets, unlisted = 0, follows, known, skipped, done } = progress;
  const { isoTime, longTime } = presentTime(words, startedAt, now);
  const figures = { items: words.number(items), total: words.number(total) };
  const results: [Key, number][] = [
    ["data.tweets", tweets],
    ["data.follows", follows],
    ["data.known", known],
    ["data.unlisted", unlisted],
    ...Object.entries(skipped).map(([reason, count]): [Key, number] => [
      `data.skipped.${reason as SkipReason}`,
      count,
    ]),
  ];
  return {
    done,
    sentence: words.pieces("data.progress", {
      state: { strong: true, text: words.t(done ? "data.done" : "data.underWay") },
      ...figures,
      time: { iso: isoTime, text: longTime },
    }),
    value: items,
    max: Math.max(total, 1),
    text: words.t("data.progressShort", figures),
    results: results
      .filter(([, count]) => count > 0)
      .map(([key, count]) => words.t(key, words.counted(count))),
  };
}
