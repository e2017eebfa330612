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

  it("docs/security.md has all 61 lines in order", () => {
    const numbers = rows.map((row) => Number(cellsOf(row)[0]));
    expect(numbers).toEqual(Array.from({ length: 61 }, (_, index) => index + 1));
  });

  it("docs/security.md names existing tests, at least one for each line", () => {
    for (const row of rows) expectTests(row);
  });

  it.each([
    ["the recovery of accounts", "B", 10],
    ["roles, blocks and the site's own", "R", 7],
    ["pushes", "P", 6],
  ])("docs/security.md names existing tests for %s, too", (_part, letter, count) => {
    const lines = read("docs/security.md")
      .split("\n")
      .filter((line) => new RegExp(`^\\| *${letter}\\d+ *\\|`).test(line));
    expect(lines.map((row) => cellsOf(row)[0])).toEqual(numbered(letter, count));
    for (const row of lines) expectTests(row);
  });
});

describe("docs/reliability.md", () => {
  const rows = read("docs/reliability.md")
    .split("\n")
    .filter((line) => /^\| *[RHML]\d/.test(line));

  it("docs/reliability.md has every finding", () => {
    const named = rows.flatMap((row) => (cellsOf(row)[0] ?? "").split(", "));
    const found = [...numbered("R", 27), ...numbered("H", 4), ...numbered("M", 7)];
    expect(named.toSorted()).toEqual([...found, ...numbered("L", 11)].toSorted());
  });

  it("docs/reliability.md names existing tests or drills, at least one for each finding", () => {
    for (const row of rows) expectTests(row);
  });
});

function numbered(letter: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);
}

/** In a row's last cell stands at least one `file`: title, or a drill. */
function expectTests(row: string): void {
  const [number, , tests = ""] = cellsOf(row);
  const named = tests.split("<br>").map((one) => one.trim());
  expect([number, named.length > 0]).toEqual([number, true]);
  for (const one of named) {
    if (/^drill \d+$/.test(one)) continue;
    const [, path = "", title = ""] = /^`([^`]+)`: (.+)$/.exec(one) ?? [];
    const where = `${number}: ${path}: ${title}`;
    expect([where, existsSync(new URL(path, root))]).toEqual([where, true]);
    const text = read(path).replaceAll('\\"', '"');
    expect([where, text.includes(title.replaceAll("\\|", "|"))]).toEqual([where, true]);
  }
}
