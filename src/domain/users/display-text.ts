/**
 * Characters that steer the text around them instead of showing something: controls (line feed
 * and tab excepted), bidi embeddings, overrides and isolates, and invisible ones that make two
 * names look alike. Joiners stay: emoji and several scripts are written with them; so do the tags
 * that make a black flag that of Scotland, which $1 is.
 */
const steering =
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  /(\u{1F3F4}[\u{E0020}-\u{E007E}]{1,8}\u{E007F})|[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu;

/**
 * A base character carries at most this many marks; more climb over the neighbouring lines
 * ("Zalgo"). Joiners count, as marks go on piling up behind them.
 */
const marksKept = 4;
const mark = "[\\p{Mn}\\p{Me}\\u200C\\u200D]";
const piledMarks = new RegExp(`(${mark}{${marksKept}})${mark}+`, "gu");

/** What takes room and shows nothing: white space, fillers, and joiners and marks with nothing to join. */
const blank = /^[\s\p{Default_Ignorable_Code_Point}\u2800]*$/u;

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Text of several lines as it is stored: what steers other text is gone, line ends are "\n". */
export function cleanText(raw: string): string {
  return raw
    .toWellFormed()
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(steering, "$1")
    .normalize("NFC")
    .replaceAll(piledMarks, "$1")
    .trim();
}

/** The same for one line: runs of white space become one space. */
export function cleanLine(raw: string): string {
  // Once more, as two spaces may have had something invisible between them.
  return cleanText(raw.replaceAll(/\s+/g, " ")).replaceAll(/ +/g, " ");
}

/** Whether nothing would be seen of it. */
export function isBlank(text: string): boolean {
  return blank.test(text);
}

/** What a person would count as characters: 👨‍👩‍👧 and か゛ are one each. */
export function countGraphemes(text: string): number {
  let count = 0;
  for (const _ of segmenter.segment(text)) count += 1;
  return count;
}

/** Whether `text` has at most `limit` graphemes; linear, and stops looking once it knows. */
export function fitsGraphemes(text: string, limit: number): boolean {
  // A grapheme has at least one code unit, and after cleaning rarely more than 32.
  if (text.length <= limit) return true;
  if (text.length > limit * 32) return false;
  return countGraphemes(text) <= limit;
}

/** The first grapheme, for an avatar that is a letter. */
export function firstGrapheme(text: string): string {
  for (const { segment } of segmenter.segment(text)) return segment;
  return "";
}
