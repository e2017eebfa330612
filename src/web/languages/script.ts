import type { Key, Translator } from "./translator.ts";

/** All that the site's script says by itself. */
const plain = [
  "script.olderBelow",
  "script.end",
  "script.copied",
  "script.retweeted",
  "script.undo",
  "script.close",
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
  "time.now",
] as const satisfies readonly Key[];

/** Those with a number in them, where the script is given "#" to put it. */
const counted = [
  "script.left",
  "script.over",
  "script.newTweets",
  "nav.notificationsNew",
  "time.minutes",
  "time.hours",
] as const satisfies readonly Key[];

/** Numbers among which each language has one of each of its kinds: one, few, many … */
const samples = [...Array.from({ length: 120 }, (_, number) => number), 1000, 1_000_000];

const known = new WeakMap<Translator, string>();

/**
 * What the script says, as JSON: for each message its text or, where it
 * depends on a number, its texts by plural category, as Intl.PluralRules calls them.
 */
export function scriptWords(words: Translator): string {
  const text = known.get(words) ?? spell(words);
  known.set(words, text);
  return text;
}

function spell(words: Translator): string {
  const categories = categoriesOf(words.language);
  const messages = [
    ...plain.map((key) => [key, words.t(key)] as const),
    ...counted.map((key) => [key, formsOf(words, key, categories)] as const),
  ];
  return JSON.stringify(Object.fromEntries(messages));
}

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
