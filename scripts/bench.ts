import { parseArgs } from "node:util";
import { api } from "./bench/api.ts";
import { fanout } from "./bench/fanout.ts";
import { cluster } from "./bench/cluster.ts";
import { readersBesideWriters } from "./bench/beside-writers.ts";
import { follows } from "./bench/follows.ts";
import { homeChanging, homeUnchanged } from "./bench/home.ts";
import { imports } from "./bench/imports.ts";
import { interference } from "./bench/interference.ts";
import { isTry, type Lab, openLab } from "./bench/lab.ts";
import { memory } from "./bench/memory.ts";
import { post } from "./bench/post.ts";
import { readers, readersMixed } from "./bench/readers.ts";
import { rebuild } from "./bench/rebuild.ts";
import { search } from "./bench/search.ts";
import { signedOut } from "./bench/signed-out.ts";
import { live, streaming } from "./bench/streams.ts";
import { type Measured, table } from "./bench/table.ts";
import { uploads, uploadsInline } from "./bench/uploads.ts";
import { inLanes } from "./drill/lab/lanes.ts";

/**
 * `npm run bench [-- NAME …] [-- --json] [-- --scale 0.1]`. A part that fails is named at the end, after the figures of
 * the others; then the exit code is 1.
 */
const parts: Record<string, (lab: Lab) => Promise<Measured>> = {
  fanout,
  cluster,
  homeUnchanged,
  homeChanging,
  readers,
  readersMixed,
  readersBesideWriters,
  signedOut,
  follows,
  post,
  interference,
  rebuild,
  memory,
  search,
  live,
  api,
  streaming,
  uploads,
  uploadsInline,
  imports,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "boolean", default: false }, scale: { type: "string", default: "1" } },
});
const chosen = Object.entries(parts).filter(
  ([name]) => positionals.length === 0 || positionals.includes(name),
);
const unknown = positionals.filter((name) => parts[name] === undefined);
if (unknown.length > 0) {
  const names = Object.keys(parts).join(", ");
  process.stderr.write(`No bench is called ${unknown.join(", ")}. There are: ${names}\n`);
  process.exit(1);
}

const say = (line: string) => void process.stderr.write(`${line}\n`);
const scale = Number(values.scale);
const failures: Record<string, string> = {};

const opened: Promise<Lab>[] = [];
/** Labs in which no part runs now. */
const free: Lab[] = [];
let ending: Promise<void> | undefined;

async function closeLabs(): Promise<void> {
  for (const opening of opened) await (await opening.catch(() => undefined))?.close();
}

// A terminal and npm may both send one: the second must not end the process before its Redis.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => {
    ending ??= closeLabs().finally(() => process.exit(130));
  });

async function nextLab(): Promise<Lab> {
  const lab = free.pop();
  if (lab !== undefined) return lab;
  const opening = openLab(scale, say);
  opened.push(opening);
  return await opening;
}

/** Its figures, and those beside it; none if it failed, or after an interruption. */
async function run([name, measure]: (typeof chosen)[number]): Promise<Record<string, Measured>> {
  if (ending !== undefined) return {};
  const began = performance.now();
  const lab = await nextLab();
  try {
    const { beside = {}, ...measured } = await measure(lab);
    return { [name]: measured, ...beside };
  } catch (error) {
    failures[name] = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return {};
  } finally {
    free.push(lab);
    say(`— ${name}: ${((performance.now() - began) / 1000).toFixed(0)} s`);
  }
}

let results: Record<string, Measured> = {};
try {
  // What is measured has the machine to itself.
  results = Object.assign({}, ...(await inLanes(chosen, isTry(scale) ? 2 : 1, run)));
} finally {
  await (ending ?? closeLabs());
}
const isFailed = Object.keys(failures).length > 0;
process.stdout.write(
  `${values.json ? JSON.stringify(isFailed ? { ...results, failures } : results) : table(results)}\n`,
);
for (const [name, reason] of Object.entries(failures)) say(`FAILED ${name}: ${reason}`);
process.exit(isFailed ? 1 : 0);
