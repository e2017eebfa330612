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
