/**
 * A row as RFC 4180 has it. Spreadsheets take a cell that begins like a formula for one, whoever wrote
 * it: such a cell gets an apostrophe in front, which they do not show. What is read back in is the
 * JSON file, where nothing is changed.
 */
export function csvRow(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

/** Without it, spreadsheets take UTF-8 for the system's old code page; programs skip it. */
export const byteOrderMark = "\uFEFF";

const formula = /^[\s\p{C}]*[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/u;

function csvCell(text: string): string {
  const tame = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(tame) ? `"${tame.replaceAll('"', '""')}"` : tame;
}
