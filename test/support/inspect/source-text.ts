/** A piece of source text and its kind. */
interface Piece {
  kind: "code" | "comment" | "literal" | "pattern";
  text: string;
}

const opening = /\/\/[^\n]*|\/\*[^]*?\*\/|["'`]|\//g;
/** After these a slash begins a regular expression; after anything else it divides. */
const beforePattern = /(^|[=(,:;!&|?{}[+\-*%<>~^]|\b(return|typeof|case|of|in|await|yield))\s*$/;
const pattern = /^\/(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/;

/** Splits TypeScript into code, literals, comments and patterns. */
function piecesOf(source: string): Piece[] {
  const pieces: Piece[] = [];
  /** Code before a slash; "x" stands for a literal. */
  let before = "";
  let place = 0;
  const push = (kind: Piece["kind"], text: string) => {
    pieces.push({ kind, text });
    place += text.length;
    if (kind === "code") before = (before + text).slice(-50);
    else if (kind !== "comment") before = "x";
  };
  while (place < source.length) {
    opening.lastIndex = place;
    const found = opening.exec(source);
    push("code", source.slice(place, found?.index ?? source.length));
    const mark = found?.[0] ?? "";
    if (mark === "/") {
      const regex = beforePattern.test(before) ? pattern.exec(source.slice(place)) : null;
      push(regex === null ? "code" : "pattern", regex?.[0] ?? mark);
    } else if (mark.startsWith("/")) push("comment", mark);
    else if (mark !== "") push("literal", literalAt(source, place));
  }
  return pieces;
}

/** A string or a template, quotes included. */
function literalAt(source: string, start: number): string {
  const quote = source[start];
  let place = start + 1;
  while (place < source.length && source[place] !== quote) {
    if (source[place] === "\\") place += 1;
    else if (quote === "`" && source.startsWith("${", place)) place = endOfHole(source, place);
    place += 1;
  }
  return source.slice(start, place + 1);
}

/** Index of the brace that closes a template's hole. */
function endOfHole(source: string, start: number): number {
  let depth = 0;
  for (let place = start; place < source.length; place += 1) {
    const character = source[place] ?? "";
    if (`"'\``.includes(character)) place += literalAt(source, place).length - 1;
    else if (character === "{") depth += 1;
    else if (character === "}") depth -= 1;
    if (character === "}" && depth === 0) return place;
  }
  return source.length;
}

export function withoutComments(source: string): string {
  return piecesOf(source)
    .map(({ kind, text }) => (kind === "comment" ? " " : text))
    .join("");
}

/** Texts of strings and templates without quotes; templates with their holes. */
export function literalsOf(source: string): string[] {
  return piecesOf(source)
    .filter((piece) => piece.kind === "literal")
    .map((piece) => piece.text.slice(1, -1));
}
