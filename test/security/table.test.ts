import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const root = new URL("../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), "utf8");
/** Cells of a table's row; `\|` is a bar within a cell. */
const cellsOf = (row: string) =>
  row
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());

describe("docs/security.md", () => {
  const rows = read("docs/security.md")
    .split("\n")
    .filter((line) => /^\| *\d+ *\|/.test(line));

  it("has all 48 lines, in their order", () => {
    const numbers = rows.map((row) => Number(cellsOf(row)[0]));
    expect(numbers).toEqual(Array.from({ length: 48 }, (_, index) => index + 1));
  });

  it("names tests that exist, for each line one at least", () => {
    for (const row of rows) {
      const [number, , tests = ""] = cellsOf(row);
      const named = tests.split("<br>").map((one) => /^`([^`]+)`: (.+)$/.exec(one.trim()));
      expect([number, named.length > 0]).toEqual([number, true]);
      for (const test of named) {
        const [, path = "", title = ""] = test ?? [];
        const where = `line ${number}: ${path}: ${title}`;
        expect([where, existsSync(new URL(path, root))]).toEqual([where, true]);
        const text = read(path).replaceAll('\\"', '"');
        expect([where, text.includes(title.replaceAll("\\|", "|"))]).toEqual([where, true]);
      }
    }
  });
});
