import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { csvRow } from "../../../src/domain/accounts/export.ts";

/** As RFC 4180 has it. */
function parse(csv: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, bare = "", end] of csv.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g,
  )) {
    row.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    if (end === ",") continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

describe("a row of CSV", () => {
  it("a CSV row reads back as written, except apostrophes before what looks like a formula", () => {
    const cell = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.string({ unit: fc.constantFrom(..."=+-@\t\r\n\",'a ") }),
    );
    fc.assert(
      fc.property(
        fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 4 }),
        (rows) => {
          const read = parse(rows.map(csvRow).join(""));
          expect(read.map((row) => row.length)).toEqual(rows.map((row) => row.length));
          for (const [nth, row] of rows.entries())
            for (const [index, text] of row.entries())
              expect(read[nth]?.[index]?.replaceAll("'", "")).toBe(text.replaceAll("'", ""));
        },
      ),
    );
  });

  it("a CSV row holds nothing that a spreadsheet would calculate", () => {
    for (const text of ["=1+1", "+1", "-1", "@SUM(A1)", "\u200b=1", "＝1", " =1"])
      expect(parse(csvRow([text, "a"]))).toEqual([[`'${text}`, "a"]]);
    for (const text of ["1", "a=b", "雀", "", "https://example.org/?a=-1", "a; b", "a;b=1"])
      expect(csvRow([text])).toBe(`"${text}"\r\n`);
    expect(csvRow(['say "hi", twice', "two\nlines"])).toBe('"say ""hi"", twice","two\nlines"\r\n');
  });

  it("a CSV row holds nothing to calculate for a spreadsheet that separates cells by semicolons or tabs", () => {
    for (const text of [
      ";=cmd|' /C calc'!A0",
      "a;=1",
      "a; +1",
      "\t=1",
      "a\t@1",
      "a\n\n-1",
      'a;"=1',
    ])
      for (const cell of csvRow(["first", text]).split(/[;\t\r\n]/))
        expect(cell.replace(/^["\s]*/, "")).not.toMatch(/^[=+\-@]/);
  });
});
