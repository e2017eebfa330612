import { parseArgs } from "node:util";
import { fanout } from "./bench/fanout.ts";
import { home } from "./bench/home.ts";
import { type Lab, openLab } from "./bench/lab.ts";

const parts: Record<string, (lab: Lab) => Promise<Record<string, unknown>>> = { fanout, home };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "boolean", default: false }, scale: { type: "string", default: "1" } },
});
const say = (line: string) => void process.stderr.write(`${line}\n`);
const lab = await openLab(Number(values.scale), say);
const results: Record<string, unknown> = {};
try {
  for (const name of positionals.length > 0 ? positionals : Object.keys(parts)) {
    const part = parts[name];
    if (part === undefined) throw new Error(`no bench is called ${name}`);
    results[name] = await part(lab);
    say(JSON.stringify({ [name]: results[name] }));
  }
} finally {
  await lab.close();
}
process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
process.exit(0);
