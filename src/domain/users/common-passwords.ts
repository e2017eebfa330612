import { dictionary } from "@zxcvbn-ts/language-common";

const minCharacters = 8;

/** What was found most often among stolen passwords, in lower case; of eight characters and more about 18,000. */
const known = new Set(
  dictionary["passwords-common"].filter((word) => word.length >= minCharacters),
);
/** Of the site. */
const siteNames = ["suzume", "すずめ", "スズメ", "雀"];
/** So many digits and signs beside a word are soon tried. */
const fewSigns = 8;

/** The form in which passwords are compared: typed in full width or capitals they are no better. */
export function foldPassword(password: string): string {
  return password.normalize("NFKC").toLowerCase();
}

/** Whether a folded password is among the first that guessers try. */
export function isCommon(folded: string): boolean {
  if (/^\s*$/u.test(folded) || isRow([...folded])) return true;
  if (siteNames.some((name) => isBuiltOn(folded, name))) return true;
  return known.has(folded) || known.has(withoutSigns(folded));
}

/** Whether a folded password is a folded name, once or more, with nothing but a few digits and signs beside it. */
export function isBuiltOn(folded: string, name: string): boolean {
  const rest = folded.replaceAll(name, "");
  return rest !== folded && rest.length <= fewSigns && !/\p{L}/u.test(rest);
}

/** One character again and again, or one after the other: "aaaaaaaa", "23456789", "hgfedcba". */
function isRow(characters: string[]): boolean {
  const codes = characters.map((character) => character.codePointAt(0) ?? 0);
  const step = (codes[1] ?? 0) - (codes[0] ?? 0);
  if (Math.abs(step) > 1) return false;
  return codes.every((code, index) => index === 0 || code - (codes[index - 1] ?? 0) === step);
}

/** "sunshine" of "sunshine1!" */
function withoutSigns(folded: string): string {
  return folded.replace(/^[^\p{L}]+/u, "").replace(/[^\p{L}]+$/u, "");
}
