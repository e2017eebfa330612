import { cleanLine } from "../../domain/users/display-text.ts";

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** The text on one line, cut after `limit` graphemes. */
export function clip(text: string, limit: number): string {
  const line = cleanLine(text);
  if (line.length <= limit) return line;
  let end = 0;
  let count = 0;
  for (const { index, segment } of segmenter.segment(line)) {
    if (count === limit) return `${line.slice(0, end).trimEnd()}…`;
    count += 1;
    end = index + segment.length;
  }
  return line;
}
