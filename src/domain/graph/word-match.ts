/** What stands inside words, joiners included: Persian writes words with them. */
const wordLetter = /[\p{L}\p{M}\p{N}_\u200C\u200D]/u;
/** Scripts that put no space between words, or, as Korean, glue particles to them. */
const unspaced =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}]/u;
/** What continues an @name, and what makes it something else if it stands before one. */
const nameLetter = /[a-z0-9_@]/;
const beforeName = /[a-z0-9_@/.]/;
const beforeTag = /[\p{L}\p{M}\p{N}_&#/]/u;
/** Say how the character before them is drawn, not which it is. */
const drawing = /[\uFE0E\uFE0F]/g;

/**
 * The form in which words and texts are compared: case, width, the kind of apostrophe, the form of a
 * sigma and the amount of white space make no difference.
 */
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

/**
 * Whether `word` stands in `text`, both folded. Where words are spaced it must be a whole one: "cat"
 * is not in "concatenate". "#tag" and "@name" are the whole tag and the whole name. The time is linear
 * in the text.
 */
export function holdsWord(text: string, word: string): boolean {
  let at = text.indexOf(word);
  if (at === -1) return false;
  const [mayPrecede, mayFollow] = edgesOf(word);
  for (; at !== -1; at = text.indexOf(word, at + 1))
    if (mayPrecede(before(text, at)) && mayFollow(after(text, at + word.length))) return true;
  return false;
}

type Edge = (neighbour: string) => boolean;

const anything: Edge = () => true;
const noLetter: Edge = (neighbour) => !isSpacedLetter(neighbour);

/** What may stand before and after a word that is found. */
function edgesOf(word: string): [Edge, Edge] {
  if (/^#./u.test(word)) {
    const endsTag: Edge = (next) => !wordLetter.test(next);
    return [(previous) => !beforeTag.test(previous), isTag(word) ? endsTag : endOf(word)];
  }
  if (/^@./u.test(word)) {
    const endsName: Edge = (next) => !nameLetter.test(next);
    return [(previous) => !beforeName.test(previous), isName(word) ? endsName : endOf(word)];
  }
  return [isSpacedLetter(after(word, 0)) ? noLetter : anything, endOf(word)];
}

function endOf(word: string): Edge {
  return isSpacedLetter(before(word, word.length)) ? noLetter : anything;
}

const isTag = (word: string) => /^#[\p{L}\p{M}\p{N}_\u200C\u200D]+$/u.test(word);
const isName = (word: string) => /^@[a-z0-9_]+$/.test(word);

function isSpacedLetter(character: string): boolean {
  return wordLetter.test(character) && !unspaced.test(character);
}

/** The character that ends at `index`; empty at the beginning. */
function before(text: string, index: number): string {
  const isPair = /[\uDC00-\uDFFF]/.test(text.charAt(index - 1));
  return text.slice(Math.max(0, index - (isPair ? 2 : 1)), index);
}

/** The character that begins at `index`; empty at the end. */
function after(text: string, index: number): string {
  const code = text.codePointAt(index);
  return code === undefined ? "" : String.fromCodePoint(code);
}
