import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { authorIn, isEmptyQuery, parseQuery } from "../../../src/domain/search/find-tweets.ts";
import { growth } from "../../support/inspect/growth.ts";

const none = { words: [], runs: [], phrases: [], tags: [], from: [] };
const word = (text: string) => ({ text, isRun: false });
const run = (text: string) => ({ text, isRun: true });

describe("a query", () => {
  it.each([
    ["Sparrow  BREAD", { ...none, words: ["sparrow", "bread"] }],
    ["雀の　パン", { ...none, runs: ["雀の", "ぱん"] }],
    ["from:Alice bread", { ...none, words: ["bread"], from: ["alice"] }],
    ["FROM:@alice", { ...none, from: ["alice"] }],
    ["#Birds ＃日本語", { ...none, tags: ["birds", "日本語"] }],
    ["#1", { ...none, words: ["1"] }],
    ["from:", { ...none, words: ["from"] }],
    ["a a #b #B from:c from:C", { ...none, words: ["a"], tags: ["b"], from: ["c"] }],
    [
      '"Good  morning" all',
      { ...none, words: ["all"], phrases: [[word("good"), word("morning")]] },
    ],
    ["“#雀の歌 song” x", { ...none, words: ["x"], phrases: [[run("雀の歌"), word("song")]] }],
    ['"from:alice"', { ...none, phrases: [[word("from"), word("alice")]] }],
    ['an "open end', { ...none, words: ["an", "open", "end"] }],
    ['"" "…" 5"', { ...none, words: ["5"] }],
    ["", none],
    [" 🐦 ", none],
  ])("the query %j asks for %j", (typed, query) => {
    expect(parseQuery(typed)).toEqual(query);
  });

  it.each([
    ["", true],
    ["!? 🐦", true],
    ['""', true],
    ["雀", false],
    ['"雀"', false],
    ["#鳥", false],
    ["from:a", false],
  ])("the query %j asks for nothing: %s", (typed, isEmpty) => {
    expect(isEmptyQuery(parseQuery(typed))).toBe(isEmpty);
  });

  it("a query has at most eight phrases; the words of further ones are words", () => {
    const typed = Array.from({ length: 10 }, (_, nth) => `"w${nth} x"`).join(" ");
    const { phrases, words } = parseQuery(typed);
    expect(phrases).toHaveLength(8);
    expect(words).toEqual(["w8", "x", "w9"]);
  });

  it("a query names at most one author, with a valid name", () => {
    expect(authorIn(parseQuery("from:alice x"))).toBe("alice");
    for (const typed of ["x", "from:alice from:bob", "from:no-name", "from:雀"])
      expect(authorIn(parseQuery(typed))).toBeUndefined();
  });

  it("any query is parsed in linear time", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (typed) => {
        expect(parseQuery(typed).words).not.toContain("");
      }),
    );
    for (const unit of ["from:", "#", "#a ", "from:a ", "＃あ", " ", '"', '"a', '" '])
      expect(growth(unit, parseQuery)).toBeLessThan(10);
  });
});
