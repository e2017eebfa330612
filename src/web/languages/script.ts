import { memo } from "../../domain/memo.ts";
import type { Key, Translator } from "./translator.ts";

/** Messages of the site's script. */
const plain = [
  "script.olderBelow",
  "script.end",
  "script.copied",
  "script.deleted",
  "script.failed",
  "script.notSent",
  "script.sending",
  "script.kept",
  "script.retweeted",
  "script.undo",
  "script.close",
  "script.textCopied",
  "script.showPassword",
  "script.hidePassword",
  "script.hotkeys",
  "script.hotkeysOn",
  "hotkey.next",
  "hotkey.previous",
  "hotkey.write",
  "hotkey.reply",
  "hotkey.retweet",
  "hotkey.like",
  "hotkey.open",
  "hotkey.search",
  "hotkey.home",
  "hotkey.explore",
  "hotkey.notifications",
  "hotkey.profile",
  "hotkey.help",
  "person.follow",
  "person.unfollow",
  "time.now",
] as const satisfies readonly Key[];

/** Messages with a number, for which the script replaces "#". */
const counted = [
  "script.left",
  "script.over",
  "script.newTweets",
  "script.newReplies",
  "nav.notificationsNew",
  "nav.reportsOpen",
  "time.minutes",
  "time.hours",
] as const satisfies readonly Key[];

/** Numbers that cover every plural category of each language: one, few, many … */
const samples = [...Array.from({ length: 120 }, (_, number) => number), 1000, 1_000_000];

/**
 * Messages of the script as JSON: for each key its text or, if the text depends on a number, its texts
 * by plural category (see Intl.PluralRules).
 */
export const scriptWords = memo((words: Translator): string => {
  const categories = categoriesOf(words.language);
  const messages = [
    ...plain.map((key) => [key, words.t(key)] as const),
    ...counted.map((key) => [key, formsOf(words, key, categories)] as const),
  ];
  return JSON.stringify(Object.fromEntries(messages));
});

function formsOf(words: Translator, key: Key, categories: Map<string, number>) {
  const forms = [...categories].map(([category, sample]) => {
    const text = words.t(key, { count: sample, shown: "#" });
    return [category, text.replace(String(sample), "#")] as const;
  });
  const isSame = new Set(forms.map(([, text]) => text)).size === 1;
  return isSame ? forms[0]?.[1] : Object.fromEntries(forms);
}

function categoriesOf(language: string): Map<string, number> {
  const rules = new Intl.PluralRules(language);
  const categories = new Map<string, number>();
  for (const sample of samples) {
    const category = rules.select(sample);
    if (!categories.has(category)) categories.set(category, sample);
  }
  return categories;
}
