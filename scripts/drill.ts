import { parseArgs } from "node:util";
import { drills } from "./drill/drills.ts";
import type { Drill, Row } from "./drill/lab/drill.ts";
import { killAll } from "./drill/lab/process.ts";
import { showRow, tableLine } from "./drill/lab/row.ts";
import { runDrill } from "./drill/lab/run.ts";

/**
 * `npm run drill [-- NAME or NUMBER …] [-- --quick] [-- --list] [-- --json] [-- --table]`
 * Exit code 0 if each of them passed; one that this machine cannot run has not.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    table: { type: "boolean", default: false },
  },
});

function chosen(): Drill[] {
  const isNamed = ({ number, name }: Drill) =>
    positionals.includes(name) || positionals.includes(String(number));
  const unknown = positionals.filter(
    (wanted) => !drills.some(({ number, name }) => wanted === name || wanted === String(number)),
  );
  if (unknown.length > 0) {
    const known = drills.map(({ name }) => name).join(", ");
    process.stderr.write(`No drill is called ${unknown.join(", ")}. There are: ${known}\n`);
    process.exit(1);
  }
  if (positionals.length > 0) return drills.filter(isNamed);
  return drills.filter(({ quick, onlyByName }) => (values.quick ? quick : !onlyByName) === true);
}

process.on("exit", killAll);
let began = performance.now();
/** With the seconds since the drill began. */
const say = (line: string) => {
  const seconds = Math.round((performance.now() - began) / 1000);
  process.stderr.write(`  … ${seconds} s: ${line}\n`);
};

if (values.list) {
  const lines = chosen().map(({ number, name, fault }) => `${number} ${name}: ${fault}`);
  process.stdout.write(`${lines.join("\n")}\n`);
  process.exit(0);
}

const rows: Row[] = [];
for (const drill of chosen()) {
  process.stderr.write(`— ${drill.number} ${drill.name}\n`);
  began = performance.now();
  const row = await runDrill(drill, say);
  rows.push(row);
  if (!values.json && !values.table) process.stdout.write(`${showRow(row)}\n`);
  else for (const problem of row.problems) say(`PROBLEM: ${problem}`);
}
if (values.json) process.stdout.write(`${JSON.stringify(rows)}\n`);
if (values.table) process.stdout.write(`${rows.map(tableLine).join("\n")}\n`);
const failed = rows.filter(({ verdict }) => verdict !== "passed");
const names = failed.map(({ name, verdict }) => `${name} (${verdict})`).join(", ");
process.stderr.write(
  `${rows.length - failed.length} of ${rows.length} passed${names && `; ${names}`}\n`,
);
process.exit(failed.length === 0 ? 0 : 1);
