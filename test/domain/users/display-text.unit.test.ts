import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  cleanLine,
  cleanText,
  countGraphemes,
  firstGrapheme,
  fitsGraphemes,
  isBlank,
  splitGraphemes,
} from "../../../src/domain/users/display-text.ts";
import { growth } from "../../support/inspect/growth.ts";
import { runs } from "../../support/models/property-runs.ts";

const bidi = "\u200E\u200F\u061C\u202A\u202B\u202C\u202D\u202E\u2066\u2067\u2068\u2069";
const invisible = "\u00AD\u180E\u200B\u2028\u2029\u2060\u2064\u206F\uFEFF\uFFF9\u{E0001}\u{E0041}";
const controls = "\0\u0001\u0008\u000B\u000C\u001B\u007F\u0080\u009F";
const marks = "\u0300\u0323\u0488\u20DD\u0610\u0E47\u200D\u200C\uFE0F";

/** Anything that people type, and everything that some type to annoy others. */
const unit = fc.oneof(
  fc.constantFrom(...bidi, ...invisible, ...controls, ...marks, ..."ae \t\n\r雀か", "\u3099"),
  fc.constantFrom(
    "👨‍👩‍👧",
    "🏴",
    "\u{E007F}",
    "\u{E0067}",
    "\u1100",
    "\u1161",
    "\uD800",
    "\uDC00",
    "e\u0301",
  ),
  fc.string({ unit: "binary", maxLength: 3 }),
);
const hostile = fc.array(unit, { maxLength: 40 }).map((units) => units.join(""));

describe("cleaned text", () => {
  it("cleaning keeps what users write", () => {
    for (const text of [
      "two lines\nand a\ttab",
      "👨‍👩‍👧 👩🏽‍❤️‍💋‍👨 🏳️‍🌈 1️⃣ 🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
      "क्‍ष می‌خواهم שָׁלוֹם Việt Nam สวัสดี",
      "雀 すずめ",
    ])
      expect(cleanText(text)).toBe(text);
  });

  it("many empty lines become one", () => {
    expect(cleanText("a\n\nb\nc")).toBe("a\n\nb\nc");
    expect(cleanText("a\n\n\n\nb\n \n\u3000\n\t\nc")).toBe("a\n\nb\n\nc");
    expect(cleanText(`a\n\u200B\n\u200B\nb`)).toBe("a\n\nb");
  });

  it("cleaned text has no control characters and nothing that turns or hides other text", () => {
    expect(cleanText(`a${controls}${bidi}${invisible}b`)).toBe("ab");
    fc.assert(
      fc.property(hostile, (raw) => {
        const text = cleanText(raw);
        // oxlint-disable-next-line no-control-regex -- these are what must not be there
        expect(text).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/);
        expect(text).not.toMatch(new RegExp(`[${bidi}]`));
        expect(text).not.toMatch(/[\u00AD\u180E\u200B\u2028\u2029\u2060-\u2064\uFEFF]/);
        expect(text.isWellFormed()).toBe(true);
        expect(text).toBe(text.trim().normalize("NFC"));
      }),
      runs(1000),
    );
  });

  it("cleaning a text twice changes nothing more", () => {
    fc.assert(
      fc.property(hostile, (raw) => {
        expect(cleanText(cleanText(raw))).toBe(cleanText(raw));
        expect(cleanLine(cleanLine(raw))).toBe(cleanLine(raw));
      }),
      runs(1000),
    );
  });

  it("cleaned text has at most four marks on a character, whatever is between them", () => {
    for (const between of ["", "\u200D", "\u200C", "\uFE0F", "\u034F", "\u0300\u200D"]) {
      const pile = cleanText(`Z${`\u0336\u0489${between}`.repeat(50)}algo`);
      expect(pile).toMatch(/^Z.{4}algo$/u);
    }
    fc.assert(
      fc.property(hostile, (raw) => {
        expect(cleanText(raw)).not.toMatch(/[\p{Mn}\p{Me}\u200C\u200D]{5}/u);
      }),
    );
  });

  it("cleaned text hides no message in tags, and keeps the flags written with them", () => {
    const tags = [..."follow me"].map((letter) =>
      String.fromCodePoint(0xe_0000 + (letter.codePointAt(0) ?? 0)),
    );
    expect(cleanText(`Bob${tags.join("")}`)).toBe("Bob");
  });

  it("a cleaned line has single spaces", () => {
    expect(cleanLine(" a\u2028b \u200B c\r\n\td ")).toBe("a b c d");
    fc.assert(
      fc.property(hostile, (raw) => {
        expect(cleanLine(raw)).not.toMatch(/[\n\t]| {2}/);
      }),
    );
  });

  it.each([
    ["marks", "a\u0300\u0301"],
    ["only marks", "\u0300"],
    ["marks out of order", "\u0301\u0323"],
    ["spacing marks out of order", "\u{1D16D}\u{1D165}"],
    ["joiners", "\u200D"],
    ["spaces", " "],
    ["tags", "\u{1F3F4}\u{E0067}"],
    ["line ends", "\r\n"],
    ["jamo", "\u1100\u1161"],
  ])("cleaning takes time proportional to the length: %s", (_, repeated) => {
    for (const clean of [cleanText, cleanLine]) {
      expect(growth(repeated, clean)).toBeLessThan(10);
      // In the middle, where a pattern that looks for the end tries from each place.
      expect(growth(repeated, (text) => clean(`a${text}x`))).toBeLessThan(10);
    }
    expect(growth(repeated, (text) => isBlank(`${text}x`))).toBeLessThan(10);
  });
});

describe("graphemes", () => {
  it.each([
    ["👨‍👩‍👧", 1],
    ["か\u3099", 1],
    ["🇯🇵", 1],
    ["🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}", 1],
    ["e\u0301", 1],
    ["\r\n", 1],
    ["abc", 3],
    ["", 0],
  ])("%j has %i graphemes", (text, count) => {
    expect(countGraphemes(text)).toBe(count);
    expect(fitsGraphemes(text, count)).toBe(true);
    expect(fitsGraphemes(text, count - 1)).toBe(false);
  });

  it("a text fits a limit exactly if it has no more graphemes", () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 0, max: 60 }), (raw, limit) => {
        const text = cleanText(raw);
        fc.pre(text.length <= limit * 16);
        const naive = [...new Intl.Segmenter("en").segment(text)].length;
        expect(fitsGraphemes(text, limit)).toBe(naive <= limit);
      }),
      runs(1000),
    );
  });

  it("few graphemes made of many characters do not fit", () => {
    const monster = `👨${"\u200D👨".repeat(5000)}`;
    expect(countGraphemes(monster)).toBe(1);
    expect(fitsGraphemes(monster, 280)).toBe(false);
  });

  it("pieces fit, are whole graphemes, and together are the text", () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 20 }), (raw, limit) => {
        const text = cleanText(raw);
        const pieces = splitGraphemes(text, limit);
        expect(pieces.join("").replaceAll(/\s/g, "")).toBe(text.replaceAll(/\s/g, ""));
        expect(pieces.filter((piece) => !fitsGraphemes(piece, limit))).toEqual([]);
      }),
      runs(1000),
    );
    expect(splitGraphemes("👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧", 2)).toEqual(["👨‍👩‍👧👨‍👩‍👧", "👨‍👩‍👧"]);
  });

  it("a grapheme without end is cut like a text", () => {
    const monster = "👨\u200D".repeat(1000);
    const pieces = splitGraphemes(monster, 20);
    expect(pieces.filter((piece) => !fitsGraphemes(piece, 20))).toEqual([]);
    expect(pieces.join("")).toBe(monster);
  });

  it.each(["x", "some words ", "か\u3099", "\u093E"])(
    "splitting %j takes time proportional to the length",
    (repeated) => {
      expect(growth(repeated, (text) => splitGraphemes(text.repeat(8), 280))).toBeLessThan(10);
    },
  );

  it("the first grapheme is whole", () => {
    expect(firstGrapheme("👨‍👩‍👧 and more")).toBe("👨‍👩‍👧");
    expect(firstGrapheme("")).toBe("");
  });
});

describe("blank text", () => {
  it.each(["", " \n\t", "\u3164", "\u2800", "\u200D\u200C", "\u115F\uFFA0", "\uFE0F", "\u034F"])(
    "a blank text shows nothing: %j",
    (text) => {
      expect(isBlank(text)).toBe(true);
    },
  );

  it.each(["a", "雀", "👍", "\u0301", "."])("%s is not blank", (text) => {
    expect(isBlank(text)).toBe(false);
  });
});
