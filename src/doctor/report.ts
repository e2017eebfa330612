import type { Result } from "./examine.ts";
import type { Finding } from "./second-look.ts";

/** Max findings of a kind in the text. */
const examples = 3;

/** The result as text for people. */
export function toText({ findings, counts, left, keys, seconds, notes }: Result): string {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const lines = Object.entries(counts).flatMap(([kind, count]) => [
    `${kind}: ${count}`,
    ...group(findings.filter((one) => one.kind === kind)),
    ...(count > examples ? [`  … and ${count - examples} more`] : []),
  ]);
  const end = all === 0 ? "nothing is wrong" : `${all} findings, ${left} left as they are`;
  return [...notes, ...lines, `doctor: ${keys} keys in ${seconds} s; ${end}.`].join("\n");
}

function group(findings: Finding[]): string[] {
  return findings.slice(0, examples).map(({ key, detail, repair, repaired }) => {
    const state = repaired === true ? "repaired" : repaired === false ? "not repaired" : "repair";
    return `  ${key}: ${detail} (${state}: ${repair})`;
  });
}

/** Milliseconds between two lines of progress, on a terminal and in a log. */
const every = { screen: 200, log: 10_000 };

/** Shows progress on stderr; on a terminal in one line. */
export function showProgress(): (keys: number, total: number) => void {
  const isScreen = process.stderr.isTTY;
  let last = Date.now();
  return (keys, total) => {
    const now = Date.now();
    const isEnd = keys >= total;
    if (now - last < (isScreen ? every.screen : every.log) && !(isEnd && isScreen)) return;
    last = now;
    const line = `doctor: ${keys} of about ${total} keys`;
    process.stderr.write(isScreen ? `\r${line}${isEnd ? "\n" : ""}` : `${line}\n`);
  };
}
