import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseQuery } from "../../../src/domain/search/find-tweets.ts";
import {
  holdsUnits,
  tagTerm,
  termsFor,
  termsOf,
  unitsIn,
} from "../../../src/domain/search/terms.ts";
import { foldSpelling, foldText, foldWords } from "../../../src/domain/word-match.ts";
import { growth } from "../../support/inspect/growth.ts";

const termsIn = (text: string) => termsOf(unitsIn(text));
/** Whether a search finds a text by the lists of its terms, and by the text itself. */
const finds = (text: string, typed: string) => {
  const query = parseQuery(typed);
  const listed = new Set(termsIn(text));
  return termsFor(query).every((term) => listed.has(term)) && holdsUnits(text, query);
};
/** Each character, and each with the one before it. */
const inRun = (run: string) => {
  const [first = "", ...others] = run;
  return [first, ...others.flatMap((one, nth) => [one, `${[first, ...others][nth]}${one}`])];
};

describe("the terms of a text", () => {
  it.each([
    ["Good Morning, good night!", ["good", "morning", "night"]],
    ["日本語", ["日", "本", "日本", "語", "本語"]],
    ["日本語の検索", inRun("日本語の検索")],
    ["コーヒー", [...new Set(inRun("こーひー"))]],
    ["ｺｰﾋｰ ＡＢＣ１２", ["abc12", ...new Set(inRun("こーひー"))]],
    ["iPhoneを買った", ["iphone", ...inRun("を買った")]],
    ["한국어 검색", [...inRun("한국어"), ...inRun("검색")]],
    ["雀、鳩。鴉", ["雀", "鳩", "鴉"]],
    ["人々が", inRun("人々が")],
    ["#日本語タグ @some_name", ["some_name", ...inRun("日本語たぐ")]],
    ["Ünïcode naïve ДОМ Ёлка", ["unicode", "naive", "дом", "елка"]],
    ["Straße STRASSE", ["strass"]],
    ["boxes box Sparrows' cities", ["box", "sparrow", "city"]],
    ["don't", ["don", "t"]],
    ["🐦🐦 … !!", []],
    ["辻\u{FE00}堂", ["辻", "堂", "辻堂"]],
  ])("the terms of %j are %j", (text, terms) => {
    expect(termsIn(text)).toEqual(terms);
  });

  it.each(["ภาษาไทย", "ພາສາລາວ", "ភាសាខ្មែរ", "မြန်မာစာ"])(
    "the terms of %s, written without spaces, are characters and pairs of neighbours",
    (text) => {
      expect(termsIn(text)).toEqual([...new Set(inRun(text))]);
    },
  );

  it("terms do not depend on the form of the characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        for (const form of ["NFC", "NFD", "NFKC", "NFKD"])
          expect(termsIn(text.normalize(form))).toEqual(termsIn(text));
        expect(foldText(foldText(text))).toBe(foldText(text));
      }),
    );
  });

  it("a text of ASCII characters is folded as any other", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary-ascii" }), (text) => {
        expect(foldText(text)).toBe(foldSpelling(foldWords(text)));
      }),
    );
  });

  it("the terms of a part of a run are among the terms of the run", () => {
    const kana = fc.string({ unit: fc.constantFrom(..."あいうカー雀鳩한국"), minLength: 2 });
    fc.assert(
      fc.property(fc.string(), kana, fc.string(), (before, part, after) => {
        const text = before + part + after;
        expect(new Set(termsIn(text))).toEqual(new Set([...termsIn(text), ...termsIn(part)]));
        expect(holdsUnits(text, parseQuery(part))).toBe(true);
      }),
    );
  });

  it("terms are bounded in number and length", () => {
    const many = Array.from({ length: 5000 }, (_, nth) => `w${nth}`).join(" ");
    expect(termsIn(many)).toHaveLength(560);
    const han = Array.from({ length: 5000 }, (_, nth) => String.fromCodePoint(0x4e00 + nth));
    expect(termsIn(han.join(""))).toHaveLength(560);
    expect(termsIn("a".repeat(5000))).toEqual(["a".repeat(40)]);
    expect(termsIn("𝒜".repeat(41))).toEqual(["a".repeat(40)]);
  });

  it("a term is never confused with a hashtag", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        for (const term of termsIn(text)) expect(term).toMatch(/^[^#: \n]+$/);
      }),
    );
    expect(tagTerm("birds")).toBe("#birds");
  });

  it.each(["a", "あ", "ก", "ー", "a あ", "\u0301", "あ\u3099", "_", "İ", "\u{E0100}", "ကြ", "🐦 "])(
    "finding terms takes linear time in much of %j",
    (unit) => {
      const ratio = () => growth(unit, (text) => termsIn(text));
      // Other tests run at the same time: the better of two measurements counts.
      expect(Math.min(ratio(), ratio())).toBeLessThan(10);
    },
  );
});

describe("matching of text", () => {
  it.each([
    ["A cat sat", "cat", true],
    ["A cat sat", "CAT sat", true],
    ["A cat sat", "cats", true],
    ["All cats sat", "cat", true],
    ["concatenate", "cat", false],
    ["日本語の検索", "語の", true],
    ["日本語の検索", "日本検索", false],
    ["日本と本語", "日本語", false],
    ["雀", "雀", true],
    ["雀が鳴く", "鳴", true],
    ["鳩", "雀", false],
    ["Un café", "cafe", true],
    ["Un cafe", "CAFÉ", true],
    ["Straße", "strasse", true],
    ["Strasse", "straße", true],
    ["ｶﾌｪ", "カフェ", true],
    ["カフェ", "かふぇ", true],
    ["Good, morning!", '"good morning"', true],
    ["Good old morning", '"good morning"', false],
    ["Morning, good", '"good morning"', false],
    ["Bread, bread and bread... sparrow!", '"bread sparrow"', true],
    ["Sparrowbread bread, sparrow", '"sparrow bread"', false],
    ["雀bread", '"雀 bread"', true],
    ["Many sparrows", '"sparrow"', false],
    ["Many sparrows", "“Sparrows”", true],
    ["雀の パン屋", '"の パン"', true],
    ["雀のパン屋", '"の パン"', false],
    ["iPhoneを買った", '"iPhoneを買"', true],
    ["The news", "new", false],
    ["It is used", '"" used', true],
  ])("text search: %j is found by %j: %s", (text, typed, found) => {
    expect(finds(text, typed)).toBe(found);
  });

  const words = fc.constantFrom(
    ..."sparrow bread box city Straße café naïve дом hero bus".split(" "),
  );
  const run = fc.string({
    unit: fc.constantFrom(..."雀鳩カフェかーが한국"),
    minLength: 1,
    maxLength: 5,
  });
  const texts = fc.array(fc.oneof(words, run), { minLength: 1, maxLength: 12 });
  /** Forms in which a part of a text may be typed. */
  const forms: ((part: string) => string)[] = [
    (part) => part,
    (part) => part.toUpperCase(),
    (part) => part.normalize("NFD"),
    (part) => part.normalize("NFD").replaceAll(/[\u0300-\u036F]/g, ""),
    (part) => part.replaceAll("ß", "ss"),
    (part) => part.replaceAll(/[a-z]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0)),
    (part) =>
      part.replaceAll(/[\u30A1-\u30F6]/g, (one) => String.fromCharCode(one.charCodeAt(0) - 0x60)),
  ];

  it("whatever is typed from a text finds it: each word, each character of a run, and all of it quoted", () => {
    fc.assert(
      fc.property(texts, fc.constantFrom(...forms), (parts, form) => {
        const text = parts.join(" ");
        for (const part of parts)
          for (const one of /^[a-zßéïдом]+$/i.test(part) ? [part] : [part, ...part])
            expect([text, form(one), finds(text, form(one))]).toEqual([text, form(one), true]);
        expect(finds(text, `"${form(text)}"`)).toBe(true);
        expect(finds(text, form(text))).toBe(true);
      }),
    );
  });

  it("a word that a text does not have finds nothing, nor a phrase in another order", () => {
    fc.assert(
      fc.property(texts, words, run, (parts, other, otherRun) => {
        const text = parts.join(" ");
        expect(finds(text, other)).toBe(parts.includes(other));
        const isIn = parts.some((part) => foldText(part).includes(foldText(otherRun)));
        expect(finds(text, otherRun)).toBe(isIn);
        const phrase = `"sparrow bread"`;
        expect(finds(text, phrase)).toBe(text.split(" ").join(" ").includes("sparrow bread"));
      }),
    );
  });

  it("a text is split into words and runs in order", () => {
    expect(unitsIn("Ann O'Neil 山田taro").map(({ text }) => text)).toEqual([
      "ann",
      "o",
      "neil",
      "山田",
      "taro",
    ]);
  });
});
