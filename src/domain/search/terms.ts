import type { TweetId, UserId } from "../ids.ts";

/**
 * Searchable units of a text. Scripts without spaces, and Hangul, whose words have endings, make runs: any
 * part of two or more characters is found. All other text makes words, which are found whole.
 */
export interface Units {
  words: string[];
  runs: string[];
}

/** A tweet with its terms, including its hashtags. */
export interface Indexed {
  tweet: TweetId;
  author: UserId;
  terms: string[];
}

/** Characters of runs; their marks and the long vowel of kana belong to them. */
const spaceless = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー`;
const letter = String.raw`[\p{L}\p{M}\p{N}_]`;
const run = String.raw`(?=${letter})[${spaceless}](?:(?=${letter})[${spaceless}\p{M}])*`;
const word = String.raw`(?:(?![${spaceless}])${letter})+`;
/** Every character is read a bounded number of times, so the time is linear. */
const unit = new RegExp(`(?<run>${run})|(?<word>${word})`, "gu");

/** Variation selectors: they choose the picture of a character. */
const variation = /[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]/gu;

/** Max characters of a word in its term; the text itself distinguishes longer words. */
const wordKept = 40;
/** Max terms of a text: two for each of the 280 characters that a tweet may have. */
const termsKept = 560;

/** The form in which texts are compared. */
export function foldText(text: string): string {
  // Lower case may decompose (İ), so it is composed again.
  const folded = text.normalize("NFKC").toLowerCase().normalize("NFKC");
  return folded.replaceAll(variation, "");
}

/** The units of a text, folded, in their order, with duplicates. */
export function unitsOf(text: string): Units {
  const units: Units = { words: [], runs: [] };
  for (const { groups } of foldText(text).matchAll(unit)) {
    if (groups?.["run"] !== undefined) units.runs.push(groups["run"]);
    else units.words.push(groups?.["word"] ?? "");
  }
  return units;
}

/** Words and runs in their order: "Ann 山田" is "ann", "山田". */
export function unitsInOrder(text: string): string[] {
  return [...foldText(text).matchAll(unit)].map(([one]) => one);
}

/** Terms of units, without duplicates: the words, and every two neighbours of a run. */
export function termsOf({ words, runs }: Units): string[] {
  const terms = new Set<string>();
  for (const one of words) {
    if (terms.size === termsKept) break;
    terms.add(one.length <= wordKept ? one : [...one].slice(0, wordKept).join(""));
  }
  for (const one of runs) addPairs(one, terms);
  return [...terms];
}

function addPairs(text: string, terms: Set<string>): void {
  let previous = "";
  for (const character of text) {
    if (terms.size === termsKept) return;
    if (previous !== "") terms.add(previous + character);
    previous = character;
  }
}

/** Whether a text contains all words, and all runs as parts of its own runs. */
export function holdsUnits(text: string, { words, runs }: Units): boolean {
  const held = unitsOf(text);
  const heldWords = new Set(held.words);
  return (
    words.every((one) => heldWords.has(one)) &&
    runs.every((one) => held.runs.some((other) => other.includes(one)))
  );
}

/** The term of a hashtag; no word has the same. */
export function tagTerm(tag: string): string {
  return `#${tag}`;
}
