import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  foldText,
  holdsUnits,
  tagTerm,
  termsOf,
  unitsInOrder,
  unitsOf,
} from "../../../src/domain/search/terms.ts";
import { growth } from "../../support/inspect/growth.ts";

const termsIn = (text: string) => termsOf(unitsOf(text));

describe("the terms of a text", () => {
  it.each([
    ["Good Morning, good night!", ["good", "morning", "night"]],
    ["日本語の検索", ["日本", "本語", "語の", "の検", "検索"]],
    ["コーヒー", ["コー", "ーヒ", "ヒー"]],
    ["ｺｰﾋｰ ＡＢＣ１２", ["abc12", "コー", "ーヒ", "ヒー"]],
    ["iPhoneを買った", ["iphone", "を買", "買っ", "った"]],
    ["한국어 검색", ["한국", "국어", "검색"]],
    ["上海的天气很好", ["上海", "海的", "的天", "天气", "气很", "很好"]],
    ["雀、鳩。鴉", []],
    ["人々が", ["人々", "々が"]],
    ["#日本語タグ @some_name", ["some_name", "日本", "本語", "語タ", "タグ"]],
    ["Ünïcode naïve Straße ДОМ", ["ünïcode", "naïve", "straße", "дом"]],
    ["don't", ["don", "t"]],
    ["🐦🐦 … !!", []],
    ["辻\u{FE00}堂", ["辻堂"]],
  ])("the terms of %j are %j", (text, terms) => {
    expect(termsIn(text)).toEqual(terms);
  });

  it.each(["ภาษาไทย", "ພາສາລາວ", "ភាសាខ្មែរ", "မြန်မာစာ"])(
    "the terms of %s, written without spaces, are pairs of neighbours",
    (text) => {
      const characters = [...text];
      const pairs = characters.slice(1).map((character, index) => characters[index] + character);
      expect(termsIn(text)).toEqual([...new Set(pairs)]);
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

  it("the terms of a part of a run are among the terms of the run", () => {
    const kana = fc.string({ unit: fc.constantFrom(..."あいうカー雀鳩한국"), minLength: 2 });
    fc.assert(
      fc.property(fc.string(), kana, fc.string(), (before, part, after) => {
        const text = before + part + after;
        expect(new Set(termsIn(text))).toEqual(new Set([...termsIn(text), ...termsIn(part)]));
        expect(holdsUnits(text, unitsOf(part))).toBe(true);
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
    ["concatenate", "cat", false],
    ["日本語の検索", "語の", true],
    ["日本語の検索", "日本検索", false],
    ["日本と本語", "日本語", false],
    ["雀", "雀", true],
    ["鳩", "雀", false],
  ])("text search: %j holds %j: %s", (text, part, held) => {
    expect(holdsUnits(text, unitsOf(part))).toBe(held);
  });

  it("a text is split into words and runs in order", () => {
    expect(unitsInOrder("Ann O'Neil 山田taro")).toEqual(["ann", "o", "neil", "山田", "taro"]);
  });
});
