import { describe, expect, it } from "vitest";
import { literalsOf, withoutComments } from "./support/inspect/source-text.ts";

describe("the reader of source text", () => {
  it("the source reader tells literals from comments, patterns and divisions", () => {
    const text = [
      'const a = "one"; // "no"',
      "const b = /[\"'`/]/.test(a) ? 'two' : 6 / 2 / 1; /* 'no' */",
      "const c = `three ${b ? `four ${'five'}` : \"six\"} seven`;",
      String.raw`const d = "eight \" nine"; return /"/g;`,
    ].join("\n");
    expect(literalsOf(text)).toEqual([
      "one",
      "two",
      "three ${b ? `four ${'five'}` : \"six\"} seven",
      String.raw`eight \" nine`,
    ]);
    expect(withoutComments(text)).not.toContain("no");
    expect(withoutComments(text).replaceAll(" ", "")).toContain("6/2/1;");
  });
});
