/**
 * A row in RFC 4180 format. Spreadsheets run a cell that begins like a formula: such a cell gets an apostrophe
 * in front, which they do not show. Imports use the JSON file, where no text is changed.
 */
export function csvRow(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

/** Without it, spreadsheets read UTF-8 as the system's old code page; programs skip it. */
export const byteOrderMark = "\uFEFF";

const formula = /^[\s\p{C}]*[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/u;

function csvCell(text: string): string {
  const tame = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(tame) ? `"${tame.replaceAll('"', '""')}"` : tame;
}
