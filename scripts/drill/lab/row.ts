import type { Drill, Row, Verdict } from "./drill.ts";
import type { Report } from "./report.ts";

export function rowOf(drill: Drill, report: Report, verdict: Verdict, seconds: number): Row {
  const { number, name, fault, passes } = drill;
  return {
    number,
    name,
    fault,
    passes,
    verdict,
    load: report.load,
    acknowledged: report.acknowledged,
    lost: report.lost,
    duplicated: report.duplicated,
    longest: Math.round(report.answers.longest),
    statuses: report.answers.statuses,
    recovery: report.recovery === undefined ? undefined : Math.round(report.recovery),
    seconds: Math.round(seconds),
    notes: report.notes,
    problems: report.problems,
  };
}

/** For people. */
export function showRow(row: Row): string {
  const statuses = Object.entries(row.statuses).map(([status, count]) => `${status}: ${count}`);
  const lines: [label: string, value: string][] = [
    ["fault", row.fault],
    ["passes when", row.passes],
    ["load", row.load || "none"],
    ["acknowledged", row.acknowledged.toLocaleString("en")],
    ["lost", String(row.lost)],
    ["duplicated", String(row.duplicated)],
    ["longest answer", `${row.longest} ms`],
    ["statuses", statuses.join(", ") || "none"],
    ["recovery", row.recovery === undefined ? "–" : `${(row.recovery / 1000).toFixed(1)} s`],
    ...row.notes.map((note): [string, string] => ["measured", note]),
    ...row.problems.map((problem): [string, string] => ["PROBLEM", problem]),
    ["verdict", `${row.verdict}, in ${row.seconds} s`],
  ];
  const body = lines.map(([label, value]) => `  ${label.padEnd(15)} ${value}`);
  return [`${row.number} ${row.name}`, ...body, ""].join("\n");
}

/** A line of the table in docs/reliability.md. */
export function tableLine(row: Row): string {
  const figures = [
    `${row.acknowledged.toLocaleString("en")} acknowledged, ${row.lost} lost, ${row.duplicated} twice`,
    ...(row.longest > 0 ? [`longest answer ${row.longest} ms`] : []),
    ...(row.recovery === undefined ? [] : [`recovered in ${(row.recovery / 1000).toFixed(1)} s`]),
    ...row.notes,
  ];
  const cells = [
    row.number,
    `${row.name}: ${row.fault}`,
    row.passes,
    figures.join("; "),
    row.verdict,
  ];
  return `| ${cells.map((cell) => String(cell).replaceAll("|", "\\|")).join(" | ")} |`;
}
