import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

/**
 * Every feature pays for its lines, see docs/decisions/0055-src-has-a-bound-that-falls.md. Lower it when src has become
 * shorter.
 */
const most = { lines: 52_781, files: 440 };

describe("the size of src", () => {
  it("src has at most as many lines and files as its bound", () => {
    const root = new URL("../src/", import.meta.url);
    const names = readdirSync(root, { recursive: true, encoding: "utf8" });
    const sources = names.filter((name) => name.endsWith(".ts"));
    const counts = sources.map((name) => linesOf(readFileSync(new URL(name, root), "utf8")));
    const lines = counts.reduce((sum, count) => sum + count, 0);
    expect(lines).toBeGreaterThan(most.lines / 2);
    expect(lines).toBeLessThanOrEqual(most.lines);
    expect(sources.length).toBeLessThanOrEqual(most.files);
  });
});

/** As `wc -l` counts them: blank lines and comments, too. */
function linesOf(text: string): number {
  return text.split("\n").length - 1;
}
