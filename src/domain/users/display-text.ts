/**
 * Characters that control the text around them instead of showing something: control characters (except line feed and
 * tab), bidi embeddings, overrides and isolates, and invisible characters that make two names look alike. Joiners are
 * kept: emoji and several scripts need them. Tags that turn a black flag into the flag of Scotland are kept as $1.
 */
const steering =
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  /(\u{1F3F4}[\u{E0020}-\u{E007E}]{1,8}\u{E007F})|[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu;

/** Max marks on a base character; more would overlap other lines ("Zalgo"). Joiners count: marks can follow them. */
const marksKept = 4;
const mark = "[\\p{Mn}\\p{Me}\\u200C\\u200D]";
const piledMarks = new RegExp(`(${mark}{${marksKept}})${mark}+`, "gu");

/** More marks than any language has on a character. Putting them in order would take the square of their number. */
const endlessMarks = /(\p{M}{32})\p{M}+/gu;

/** Text that takes room but shows nothing: white space, fillers, and joiners and marks with nothing to join. */
const blank = /^[\s\p{Default_Ignorable_Code_Point}\u2800]*$/u;

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** More than one empty line: these would push other tweets off the screen. */
const emptyLines = /\n(?:[^\S\n]*\n){2,}/g;

/** Text of several lines as it is stored: no steering characters, line ends are "\n", one empty line at a time. */
export function cleanText(raw: string): string {
  return raw
    .toWellFormed()
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(steering, "$1")
    .replaceAll(endlessMarks, "$1")
    .normalize("NFC")
    .replaceAll(piledMarks, "$1")
    .replaceAll(emptyLines, "\n\n")
    .trim();
}

/** The same for one line: each run of white space becomes one space. */
export function cleanLine(raw: string): string {
  // Once more, as two spaces may have had an invisible character between them.
  return cleanText(raw.replaceAll(/\s+/g, " ")).replaceAll(/ +/g, " ");
}

export function isBlank(text: string): boolean {
  return blank.test(text);
}

/** Number of characters as a person counts them: 👨‍👩‍👧 and か゛ are one each. */
export function countGraphemes(text: string): number {
  let count = 0;
  for (const _ of segmenter.segment(text)) count += 1;
  return count;
}

/** The text, cut to `limit` code points. */
export function clipText(text: string, limit: number): string {
  const points = Array.from(text);
  return points.length <= limit ? text : `${points.slice(0, limit - 1).join("")}…`;
}

/** Max code units of a text: a tweet of emoji may have 16 for each grapheme. In no script has a long text more than 4. */
const lengthFor = (limit: number) => Math.max(4 * limit, 16 * Math.min(limit, 300));

/** Whether `text` has at most `limit` graphemes, and none of them weighs too much. Linear; stops early. */
export function fitsGraphemes(text: string, limit: number): boolean {
  if (text.length <= limit) return true;
  if (text.length > lengthFor(limit)) return false;
  return countGraphemes(text) <= limit;
}

/** Pieces of at most `limit` graphemes, cut at white space if there is any. None of an empty text. */
export function splitGraphemes(text: string, limit: number): string[] {
  const pieces: string[] = [];
  let rest = text.trim();
  for (; !fitsGraphemes(rest, limit); rest = rest.slice(pieces.at(-1)?.length).trimStart()) {
    const longest = firstGraphemes(rest, limit);
    const isCutInWord = !/^\s/.test(rest.slice(longest.length));
    pieces.push((isCutInWord && /^(.+)\s/su.exec(longest)?.[1]?.trimEnd()) || longest.trimEnd());
  }
  return rest === "" ? pieces : [...pieces, rest];
}

/** Those that surely fit. A part of one if that does not fit itself. */
function firstGraphemes(text: string, limit: number): string {
  const start = text.slice(0, lengthFor(limit));
  let [count, last] = [0, 0];
  for (const { index } of segmenter.segment(start)) {
    last = index;
    if (count === limit) return start.slice(0, index);
    count += 1;
  }
  // The last one may be cut.
  return start.slice(0, last || start.length);
}

export function firstGrapheme(text: string): string {
  return segmenter.segment(text).containing(0)?.segment ?? "";
}
