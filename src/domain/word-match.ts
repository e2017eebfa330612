/** Characters inside words. Joiners are included: Persian uses them in words. */
const wordLetter = /[\p{L}\p{M}\p{N}_\u200C\u200D]/u;
/** Scripts without spaces between words, or, like Korean, with particles attached to words. */
const unspaced =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}]/u;
/** Characters that continue an @name, and characters before "@" that make it no name. */
const nameLetter = /[a-z0-9_@]/;
const beforeName = /[a-z0-9_@/.]/;
const beforeTag = /[\p{L}\p{M}\p{N}_&#/]/u;
const wholeTag = /^#[\p{L}\p{M}\p{N}_\u200C\u200D]+$/u;
const wholeName = /^@[a-z0-9_]+$/;
/** Variation selectors: they change how a character is drawn, not which one it is. */
const drawing = /[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]/gu;

/** All characters but those that differ in nothing but case and white space. */
const beyondAscii = /[^\t\n\r -~]/;

/** The form in which the search, muted words and blocked words compare texts. */
export function foldText(text: string): string {
  // The same without the steps that change nothing: searches fold hundreds of texts.
  if (!beyondAscii.test(text)) return text.toLowerCase().replaceAll(/\s+/g, " ").trim();
  return foldSpelling(foldWords(text));
}

/** How words are stored and shown: without differences of case, width, apostrophe, sigma and amount of white space. */
export function foldWords(text: string): string {
  return text
    .replaceAll(drawing, "")
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFKC")
    .replaceAll(/[\u2018\u2019\u02BC]/g, "'")
    .replaceAll("ς", "σ")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** Letters that Unicode does not take apart into a plain letter and its mark. */
const plainLetters: Record<string, string> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  ħ: "h",
  ı: "i",
  ł: "l",
};
const specialLetter = /[ßæœøđðħıł]/g;
/** Accents of alphabets that are also written without them. Marks of other scripts are part of the word. */
const accented = /([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu;
/** Katakana that have a hiragana, with their marks of repetition. */
const katakana = /[\u30A1-\u30F6\u30FD\u30FE]/g;
const katakanaToHiragana = 0x60;

/** For folded text: accents and the kind of kana make no difference either. "café" is "cafe", "カジノ" is "かじの". */
export function foldSpelling(folded: string): string {
  return folded
    .normalize("NFD")
    .replaceAll(accented, "$1")
    .normalize("NFC")
    .replaceAll(specialLetter, (letter) => plainLetters[letter] ?? letter)
    .replaceAll(katakana, (kana) => String.fromCharCode(kana.charCodeAt(0) - katakanaToHiragana));
}

/**
 * Whether `word` is in `text`, both folded. In scripts with spaces it must be a whole word: "cat" is not in
 * "concatenate". "#tag" and "@name" match only the whole tag or name. Linear in the text.
 */
export function holdsWord(text: string, word: string): boolean {
  let at = text.indexOf(word);
  if (at === -1) return false;
  const [mayPrecede, mayFollow] = edgesOf(word);
  for (; at !== -1; at = text.indexOf(word, at + 1))
    if (mayPrecede(characterBefore(text, at)) && mayFollow(characterAfter(text, at + word.length)))
      return true;
  return false;
}

type EdgeTest = (neighbour: string) => boolean;

const anything: EdgeTest = () => true;
const noLetter: EdgeTest = (neighbour) => !isSpacedLetter(neighbour);
const none =
  (of: RegExp): EdgeTest =>
  (neighbour) =>
    !of.test(neighbour);

/** Tests for the characters before and after a match. */
function edgesOf(word: string): [EdgeTest, EdgeTest] {
  const end = isSpacedLetter(characterBefore(word, word.length)) ? noLetter : anything;
  if (/^#./u.test(word)) return [none(beforeTag), wholeTag.test(word) ? none(wordLetter) : end];
  if (/^@./u.test(word)) return [none(beforeName), wholeName.test(word) ? none(nameLetter) : end];
  return [isSpacedLetter(characterAfter(word, 0)) ? noLetter : anything, end];
}

function isSpacedLetter(character: string): boolean {
  return wordLetter.test(character) && !unspaced.test(character);
}

/** The character that ends at `index`; empty at the start. */
function characterBefore(text: string, index: number): string {
  const isPair = /[\uDC00-\uDFFF]/.test(text.charAt(index - 1));
  return text.slice(Math.max(0, index - (isPair ? 2 : 1)), index);
}

/** The character that begins at `index`; empty at the end. */
function characterAfter(text: string, index: number): string {
  const code = text.codePointAt(index);
  return code === undefined ? "" : String.fromCodePoint(code);
}
