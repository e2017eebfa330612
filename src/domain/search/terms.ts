import type { TweetId, UserId } from "../ids.ts";
import { foldText } from "../word-match.ts";

/**
 * A searchable unit of a text, folded. Scripts without spaces, and Hangul, whose words have endings, make runs:
 * any part of them is found. All other text makes words.
 */
export interface Unit {
  text: string;
  isRun: boolean;
}

/** What a tweet must have: words in any English number, parts of runs, and sequences exactly as they are. */
export interface Units {
  words: string[];
  runs: string[];
  phrases: Unit[][];
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
const unit = new RegExp(`(?<run>${run})|(?:${word})`, "gu");

/** Max characters of a word in its term; the text itself distinguishes longer words. */
const wordKept = 40;
/** Max terms of a text: two for each of the 280 characters that a tweet may have. */
const termsKept = 560;

/** The units of a text in their order, with duplicates. */
export function unitsIn(text: string): Unit[] {
  return splitFolded(foldText(text));
}

/** The same for text that is folded. */
export function splitFolded(folded: string): Unit[] {
  return [...folded.matchAll(unit)].map(({ 0: found, groups }) => ({
    text: found,
    isRun: groups?.["run"] !== undefined,
  }));
}

/** Terms under which a text is listed: its words, each character of its runs, and every two neighbours of a run. */
export function termsOf(units: Unit[]): string[] {
  const terms = new Set<string>();
  for (const one of wordsFirst(units))
    for (const term of termsOfUnit(one)) if (terms.size < termsKept) terms.add(term);
  return [...terms];
}

function* termsOfUnit({ text, isRun }: Unit): Generator<string> {
  if (!isRun) {
    yield wordTerm(text);
    return;
  }
  let previous = "";
  for (const character of text) {
    yield character;
    if (previous !== "") yield previous + character;
    previous = character;
  }
}

/** Every two neighbours of a run. */
export function pairsIn(text: string): string[] {
  const characters = [...text];
  return characters.slice(1).map((next, nth) => `${characters[nth]}${next}`);
}

/** Terms of all tweets that have these units. */
export function termsFor({ words, runs, phrases }: Units): string[] {
  const units = [
    ...words.map((text) => ({ text, isRun: false })),
    ...runs.map((text) => ({ text, isRun: true })),
    ...phrases.flat(),
  ];
  const terms = wordsFirst(units).flatMap(({ text, isRun }) => {
    if (!isRun) return [wordTerm(text)];
    const pairs = pairsIn(text);
    return pairs.length === 0 ? [text] : pairs;
  });
  return [...new Set(terms)];
}

const wordsFirst = (units: Unit[]) =>
  units.toSorted((one, other) => Number(one.isRun) - Number(other.isRun));

/** The term of a folded word. */
export function wordTerm(text: string): string {
  return stemOf(text.length <= wordKept ? text : [...text].slice(0, wordKept).join(""));
}

/** Whether a text contains all words, all runs as parts of its own runs, and all phrases. */
export function holdsUnits(text: string, { words, runs, phrases }: Units): boolean {
  const folded = foldText(text);
  if (!phrases.every((phrase) => mayHold(folded, phrase))) return false;
  const units = splitFolded(folded);
  const heldRuns = units.filter(({ isRun }) => isRun);
  const stems = new Set(units.filter(({ isRun }) => !isRun).map((one) => stemOf(one.text)));
  return (
    words.every((one) => stems.has(stemOf(one))) &&
    runs.every((one) => heldRuns.some((other) => other.text.includes(one))) &&
    phrases.every((phrase) => units.some((_, at) => isPhraseAt(units, at, phrase)))
  );
}

/** Characters between two units. */
const gap = /[^\p{L}\p{M}\p{N}_]*/uy;

/**
 * Whether the first two units of a phrase may be side by side in folded text. It costs little, and is false for most
 * texts that have them apart.
 */
function mayHold(folded: string, [first, second]: readonly Unit[]): boolean {
  if (first === undefined || second === undefined) return true;
  for (let at = folded.indexOf(first.text); at !== -1; at = folded.indexOf(first.text, at + 1)) {
    gap.lastIndex = at + first.text.length;
    gap.test(folded);
    if (folded.startsWith(second.text, gap.lastIndex)) return true;
  }
  return false;
}

/** The first unit of a phrase may be the end of a run, and the last one the beginning. */
function isPhraseAt(held: Unit[], at: number, phrase: Unit[]): boolean {
  const end = phrase.length - 1;
  return phrase.every(({ text, isRun }, nth) => {
    const other = held[at + nth];
    if (other === undefined || other.isRun !== isRun) return false;
    if (!isRun || (nth > 0 && nth < end)) return other.text === text;
    if (end === 0) return other.text.includes(text);
    return nth === 0 ? other.text.endsWith(text) : other.text.startsWith(text);
  });
}

/** The term of a hashtag; no word has the same. */
export function tagTerm(tag: string): string {
  return `#${tag}`;
}

/** Words with the look of a plural that mean something else without their s. */
const noPlurals = new Set(["news"]);

/**
 * The form in which English words are found: singular and plural of a regular noun have the same, "boxes" and
 * "box", "cities" and "city". It need not be a word ("house" gives "hous"). Short words, words of other alphabets,
 * and words in -is or -us stay as they are. Give it folded text. The stem of a stem is the stem itself.
 *
 * A rule instead of a library: Porter's stemmer, which the packages on npm implement, also takes "university" for
 * "universe" and "news" for "new". Reasons: docs/decisions/0010-search.md.
 */
export function stemOf(noun: string): string {
  if (noun.length < 4 || noPlurals.has(noun) || !/^[a-z]+$/.test(noun)) return noun;
  const singular = /[^isu]s$/.test(noun) ? noun.slice(0, -1) : noun;
  if (singular.length < 4) return singular;
  // A plural in -es looks like that of a word in -e, so those lose their e, too.
  if (/(?:[ox]|[cs]h|ss|us)e$/.test(singular)) return singular.slice(0, -1);
  return singular.replace(/(?<=[^aeiou])ie$/, "y");
}
