import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { UserId } from "../../../src/domain/ids.ts";
import { cleanLine, isBlank } from "../../../src/domain/users/display-text.ts";
import { avatarUrl, drawLetter } from "../../../src/web/layout/avatars.ts";
import { userWith } from "../../support/actors/people.ts";
import { runs } from "../../support/models/property-runs.ts";

const user = (id: string, fullname: string, avatar = "") =>
  userWith({ id: id as UserId, name: "bird", fullname, avatar });

const letterOn = (svg: string | undefined) => />([^<>]*)<\/text>/.exec(svg ?? "")?.[1];

describe("the address of an avatar", () => {
  it("an avatar's URL is that of the picture, if there is one", () => {
    expect(avatarUrl(user("7", "x", "0123456789abcdef"))).toBe("/avatars/7-0123456789abcdef.webp");
  });

  it.each([
    ["ada lovelace", "A"],
    ["élan", "É"],
    ["👨‍👩‍👧 family", "👨‍👩‍👧"],
    ["雀", "雀"],
    ["გიო", "გ"],
    ["ß", "S"],
    ["ŉ", "ʼ"],
    ["ΐ", "Ϊ́"],
    ["🏴󠁧󠁢󠁳󠁣󠁴󠁿", "🏴󠁧󠁢󠁳󠁣󠁴󠁿"],
    ["< tag", "&#60;"],
    ["& co", "&#38;"],
    ["\u3164hidden", "B"],
    ["\uFFFEnone", "B"],
  ])("an avatar's URL is otherwise that of a letter: %s", (fullname, letter) => {
    const svg = drawLetter(avatarUrl(user("1", fullname)));
    expect(letterOn(svg)).toBe(letter);
  });

  it("a letter avatar has one of twelve stable colours, readable with white", () => {
    const fills = Array.from({ length: 100 }, (_, nth) =>
      fillOf(drawLetter(avatarUrl(user(`${nth + 1}`, "x")))),
    );
    expect(new Set(fills).size).toBe(12);
    for (const fill of fills) expect(contrastToWhite(fill)).toBeGreaterThan(4.5);
    expect(avatarUrl(user("123456789012345", "x"))).toBe(`/avatars/${12_345 % 12}-58.svg`);
  });

  it("an avatar's URL always leads to a small and valid picture, for any name", () => {
    const part = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: "grapheme" }),
      fc.constantFrom(
        "\u0345",
        "\u0390\u0301\u0301\u0301\u0301",
        "ﬃ",
        "ǰ\u0323",
        "İ",
        "\u200D",
        "🏽",
        "&",
        "'",
      ),
    );
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
        const fullname = cleanLine(parts.join(""));
        fc.pre(!isBlank(fullname));
        const url = avatarUrl(user("3", fullname));
        expect(url).toMatch(/^\/avatars\/3-[0-9a-f]{1,6}(-[0-9a-f]{1,6}){0,11}\.svg$/);
        const svg = drawLetter(url) ?? "";
        expect(svg.length).toBeLessThan(400);
        expect(svg).toMatch(/^<svg [^<>]*><path [^<>]*\/><text [^<>]*>[^<>]+<\/text><\/svg>$/);
        // oxlint-disable-next-line no-control-regex -- XML has no such characters
        expect(svg).not.toMatch(/[\u0000-\u001F\u007F-\u009F\uFFFE\uFFFF]|&(?!#\d+;)/);
        expect(svg.isWellFormed()).toBe(true);
      }),
      runs(3000),
    );
  });

  it("each letter avatar has exactly one URL", () => {
    for (const path of [
      "/avatars/12-41.svg",
      "/avatars/00-41.svg",
      "/avatars/-1-41.svg",
      "/avatars/1-041.svg",
      "/avatars/1-61.svg",
      "/avatars/1-41-42.svg",
      "/avatars/1-41-.svg",
      "/avatars/1-.svg",
      "/avatars/1-0.svg",
      "/avatars/1-1.svg",
      "/avatars/1-20.svg",
      "/avatars/1-d800.svg",
      "/avatars/1-110000.svg",
      "/avatars/1-ffffff.svg",
      "/avatars/1-fffe.svg",
      "/avatars/1-202e.svg",
      "/avatars/1-202e-41.svg",
      "/avatars/1-41-301.svg",
      `/avatars/1-41${"-323".repeat(12)}.svg`,
      "/avatars/1-41.png",
      "/avatars/1-41.SVG",
      "/avatars/1-4A.svg",
      "/avatars/1-41.svg/",
      "/avatars//1-41.svg",
    ])
      expect([path, drawLetter(path)]).toEqual([path, undefined]);
    fc.assert(
      fc.property(
        fc.stringMatching(/^\/avatars\/\d{1,2}-[0-9a-f]{1,6}(-[0-9a-f]{1,6})?\.svg$/),
        (path) => {
          const letter = letterOn(drawLetter(path));
          if (letter === undefined) return;
          const shown = letter.replace(/&#(\d+);/, (_, code) => String.fromCodePoint(Number(code)));
          const tint = /\d+/.exec(path)?.[0] ?? "";
          expect(avatarUrl(user(tint, shown))).toBe(path);
        },
      ),
      runs(2000),
    );
  });
});

function fillOf(svg: string | undefined): string {
  return /fill="(#[0-9a-f]{6})"/.exec(svg ?? "")?.[1] ?? "";
}

/** As WCAG has it. */
function contrastToWhite(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}
