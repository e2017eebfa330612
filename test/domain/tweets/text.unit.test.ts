import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkText } from "../../../src/domain/tweets/text.ts";
import { runs } from "../../support/models/property-runs.ts";

describe("the text of a tweet", () => {
  it.each([
    ["280 letters", "x".repeat(280)],
    ["280 ideographs", "雀".repeat(280)],
    ["280 families of seven code points", "👨‍👩‍👧‍👦".repeat(280)],
    ["280 letters with accents of their own", "e\u0301".repeat(280)],
    ["one letter", "a"],
    ["a single emoji", "🐦"],
  ])("a tweet's text may be %s", (_, text) => {
    expect(checkText(text)).toEqual({ text: expect.any(String) as string, problem: undefined });
  });

  it.each(["", " ", "\n\t\r\n", "\u200b", "\u200d\u200d", "\u3164", "\u2800", "\ufeff", "\u00ad"])(
    "a tweet's text may not be %j, which shows nothing",
    (text) => {
      expect(checkText(text).problem).toBe("text.empty");
    },
  );

  it("a tweet's text has at most 280 characters as a reader counts them", () => {
    for (const character of ["x", "雀", "👨‍👩‍👧‍👦", "🇯🇵"])
      expect(checkText(character.repeat(281)).problem).toBe("text.long");
  });

  it("a checked text does not change when it is checked again", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (raw) => {
        const { text, problem } = checkText(raw);
        expect(checkText(text)).toEqual({ text, problem });
        expect(text.isWellFormed()).toBe(true);
      }),
      runs(100),
    );
  });
});
