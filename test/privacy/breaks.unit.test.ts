import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { breaks, broken } from "./breaks.ts";

describe("the single breaks", () => {
  it.each(breaks)("what is taken out stands once in the source: $name", (one) => {
    const text = readFileSync(new URL(`../../src/${one.file}`, import.meta.url), "utf8");
    expect(broken(text, one)).not.toBe(text);
  });

  it("each has a name of its own", () => {
    expect(new Set(breaks.map(({ name }) => name)).size).toBe(breaks.length);
  });
});
