import { dictionary } from "@zxcvbn-ts/language-common";

const minCharacters = 8;

/** The most common stolen passwords, in lower case; about 18,000 with eight or more characters. */
const stolenPasswords = new Set(
  dictionary["passwords-common"].filter((word) => word.length >= minCharacters),
);
/** Names of the site. */
const siteNames = ["suzume", "すずめ", "スズメ", "雀"];
/** Max digits and signs beside a word; guessers soon try all of them. */
const fewSigns = 8;

/** The form in which passwords are compared: full width and capitals make a password no better. */
export function foldPassword(password: string): string {
  return password.normalize("NFKC").toLowerCase();
}

/** Whether a folded password is among the first that guessers try. */
export function isCommon(folded: string): boolean {
  if (/^\s*$/u.test(folded) || isRow([...folded])) return true;
  if (siteNames.some((name) => isBuiltOn(folded, name))) return true;
  return stolenPasswords.has(folded) || stolenPasswords.has(withoutSigns(folded));
}

/** Whether a folded password is only a folded name, once or more, and a few digits and signs. */
export function isBuiltOn(folded: string, name: string): boolean {
  const rest = folded.replaceAll(name, "");
  return rest !== folded && rest.length <= fewSigns && !/\p{L}/u.test(rest);
}

/** One character repeated, or characters in sequence: "aaaaaaaa", "23456789", "hgfedcba". */
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
