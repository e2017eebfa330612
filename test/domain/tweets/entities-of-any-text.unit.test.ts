import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Entity,
  foldTag,
  hashtagsIn,
  parseEntities,
} from "../../../src/domain/tweets/text.ts";
import { growth } from "../../support/inspect/growth.ts";
import { runs } from "../../support/models/property-runs.ts";

const signs = "# ＃ @ ＠ #a @a _ . / & - 🐦 👩‍👩‍👧".split(" ");
const someLetters = "a Z 7 १ é e\u0301 日本 ع ह ् \u200C ſ \u212A İ Σ ﷺ ½ ⑴ \uD800".split(" ");
const long = ["x".repeat(14), "y".repeat(49)];
const piece = fc.constantFrom(...signs, ...someLetters, ...long, " ", "\n");
const knotty = fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join(""));
const address = fc.constantFrom(
  "http://",
  "https://a.b/#c",
  "http://a:b@c.d/#e",
  "mailto:a@b.c",
  "//x",
);
const anything = fc.oneof(
  knotty,
  fc.array(fc.oneof(piece, address), { maxLength: 25 }).map((pieces) => pieces.join("")),
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme" }),
);

describe("text pieces", () => {
  it("joined text pieces are the text, for any text; plain pieces are never adjacent", () => {
    fc.assert(
      fc.property(anything, (text) => {
        const pieces = parseEntities(text);
        expect(pieces.map((one) => one.text).join("")).toBe(text);
        expect(pieces.every((one) => one.text.length > 0)).toBe(true);
        const joints = pieces.filter(
          (one, nth) => one.kind === "plain" && pieces[nth - 1]?.kind === "plain",
        );
        expect(joints).toEqual([]);
      }),
      runs(2000),
    );
  });

  it("text pieces are those that a naive reader finds", () => {
    fc.assert(
      fc.property(knotty, (text) => {
        const named = parseEntities(text).filter((one) => one.kind !== "plain");
        expect(named).toEqual(byLetters(text));
      }),
      runs(3000),
    );
  });

  it("hashtags in a text are found again by their comparable form", () => {
    fc.assert(
      fc.property(anything, (text) => {
        for (const folded of hashtagsIn(text)) {
          expect(foldTag(folded)).toBe(folded);
          expect(foldTag(`＃${folded}`)).toBe(folded);
          expect(hashtagsIn(`#${folded}`)).toEqual([folded]);
        }
      }),
      runs(2000),
    );
  });

  const units = "#a @a ## @@ # @ http:// #\u0301 a# a@ #a\u200C #1 #_ ＃ @a. #a@a 1 _ \u0301 &# #ﷺ";
  it.each([
    ...units.split(" "),
    " #日",
    `@${"x".repeat(15)}`,
    `#${"x".repeat(50)}`,
    "https://a.b/#@",
    "http://a@b#c ",
  ])("text pieces are found in time proportional to the length: %j", (unit) => {
    expect(growth(unit, parseEntities)).toBeLessThan(10);
  });
});

/** As slow and plain as can be. Knows no links. */
function byLetters(text: string): Entity[] {
  const letters = [...text];
  const found: Entity[] = [];
  for (const [start, sign] of letters.entries()) {
    const before = letters[start - 1] ?? "";
    const isMention = /^[@＠]$/.test(sign);
    if (!isMention && !/^[#＃]$/.test(sign)) continue;
    if (isMention ? /^[A-Za-z0-9_@＠/.]$/.test(before) : /^[\p{L}\p{M}\p{N}_&#＃/]$/u.test(before))
      continue;
    const continues = isMention ? /^[A-Za-z0-9_]$/ : /^[\p{L}\p{M}\p{N}_\u200C]$/u;
    let end = start + 1;
    while (continues.test(letters[end] ?? "")) end += 1;
    const word = letters.slice(start + 1, end);
    const spelled = [sign, ...word].join("");
    if (isMention) {
      if (word.length < 1 || word.length > 15 || /^[@＠]$/.test(letters[end] ?? "")) continue;
      found.push({ kind: "mention", text: spelled, name: word.join("").toLowerCase() });
      continue;
    }
    const folded = word.join("").normalize("NFKC").toLowerCase().normalize("NFKC");
    if (isTagWord(word) && isTagWord([...folded]))
      found.push({ kind: "hashtag", text: spelled, tag: folded });
  }
  return found;
}

function isTagWord(word: string[]): boolean {
  if (word.length > 50 || !word.every((one) => /^[\p{L}\p{M}\p{N}_\u200C]$/u.test(one)))
    return false;
  const first = word.find((one) => /^[\p{L}\u200C]$/u.test(one));
  return first !== undefined && first !== "\u200C";
}
