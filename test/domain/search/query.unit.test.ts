import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { authorIn, parseQuery, queryProblem } from "../../../src/domain/search/find-tweets.ts";
import { growth } from "../../support/inspect/growth.ts";

const none = { words: [], runs: [], tags: [], from: [] };

describe("a query", () => {
  it.each([
    ["Sparrow  BREAD", { ...none, words: ["sparrow", "bread"] }],
    ["雀の　パン", { ...none, runs: ["雀の", "パン"] }],
    ["from:Alice bread", { ...none, words: ["bread"], from: ["alice"] }],
    ["FROM:@alice", { ...none, from: ["alice"] }],
    ["#Birds ＃日本語", { ...none, tags: ["birds", "日本語"] }],
    ["#1", { ...none, words: ["1"] }],
    ["from:", { ...none, words: ["from"] }],
    ["a a #b #B from:c from:C", { words: ["a"], runs: [], tags: ["b"], from: ["c"] }],
    ["", none],
    [" 🐦 ", none],
  ])("the query %j asks for %j", (typed, query) => {
    expect(parseQuery(typed)).toEqual(query);
  });

  it.each([
    ["", "empty"],
    ["!? 🐦", "empty"],
    ["雀", "short"],
    ["雀 鳩", "short"],
    ["雀 bird", undefined],
    ["雀 #鳥", undefined],
    ["雀の", undefined],
    ["from:a", undefined],
  ])("the query %j has the problem %s", (typed, problem) => {
    expect(queryProblem(parseQuery(typed))).toBe(problem);
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
    for (const unit of ["from:", "#", "#a ", "from:a ", "＃あ", " "])
      expect(growth(unit, parseQuery)).toBeLessThan(10);
  });
});
