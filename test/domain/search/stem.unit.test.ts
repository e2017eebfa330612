import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stemOf } from "../../../src/domain/search/terms.ts";

/** Regular nouns and their plurals, as a dictionary has them. */
const nouns: [singular: string, plural: string][] = [
  ["sparrow", "sparrows"],
  ["cat", "cats"],
  ["day", "days"],
  ["box", "boxes"],
  ["tax", "taxes"],
  ["bus", "buses"],
  ["virus", "viruses"],
  ["class", "classes"],
  ["dress", "dresses"],
  ["match", "matches"],
  ["cache", "caches"],
  ["wish", "wishes"],
  ["city", "cities"],
  ["sky", "skies"],
  ["movie", "movies"],
  ["pie", "pies"],
  ["toe", "toes"],
  ["shoe", "shoes"],
  ["hero", "heroes"],
  ["potato", "potatoes"],
  ["photo", "photos"],
  ["house", "houses"],
  ["horse", "horses"],
  ["case", "cases"],
  ["size", "sizes"],
  ["name", "names"],
  ["axe", "axes"],
  ["key", "keys"],
];

describe("the stem of a word", () => {
  it.each(nouns)("%s and %s have the same stem", (singular, plural) => {
    expect(stemOf(plural)).toBe(stemOf(singular));
  });

  it("the stems of other words differ", () => {
    const stems = nouns.map(([singular]) => stemOf(singular));
    expect(new Set(stems).size).toBe(nouns.length);
    for (const [one, other] of [
      ["new", "news"],
      ["los", "lose"],
      ["thi", "this"],
      ["to", "toe"],
      ["do", "does"],
      ["us", "use"],
      ["plu", "plus"],
      ["universe", "university"],
    ] as const)
      expect([one, stemOf(one)]).not.toEqual([one, stemOf(other)]);
  });

  it("words of other alphabets, with digits, and short ones stay as they are", () => {
    for (const word of ["дома", "w12s", "some_names", "gas", "как", "雀s"])
      expect(stemOf(word)).toBe(word);
  });

  it("the stem of a stem is the stem itself", () => {
    const letters = fc.string({ unit: fc.constantFrom(..."aeisoxuchyz"), maxLength: 9 });
    fc.assert(
      fc.property(letters, (word) => {
        expect(stemOf(stemOf(word))).toBe(stemOf(word));
      }),
      { numRuns: 1000 },
    );
  });
});
