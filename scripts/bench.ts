import { parseArgs } from "node:util";
import { api } from "./bench/api.ts";
import { fanout } from "./bench/fanout.ts";
import { follows } from "./bench/follows.ts";
import { homeChanging, homeUnchanged } from "./bench/home.ts";
import { interference } from "./bench/interference.ts";
import { type Lab, openLab } from "./bench/lab.ts";
import { memory } from "./bench/memory.ts";
import { post } from "./bench/post.ts";
import { rebuild } from "./bench/rebuild.ts";
import { search } from "./bench/search.ts";
import { signedOut } from "./bench/signed-out.ts";
import { live, streaming } from "./bench/streams.ts";
import { type Measured, table } from "./bench/table.ts";
import { uploads, uploadsInline } from "./bench/uploads.ts";

/** `npm run bench [-- NAME …] [-- --json] [-- --scale 0.1]` */
const parts: Record<string, (lab: Lab) => Promise<Measured>> = {
  fanout,
  homeUnchanged,
  homeChanging,
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
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "boolean", default: false }, scale: { type: "string", default: "1" } },
});
const names = positionals.length > 0 ? positionals : Object.keys(parts);
const unknown = names.filter((name) => parts[name] === undefined);
if (unknown.length > 0) {
  const known = Object.keys(parts).join(", ");
  process.stderr.write(`No bench is called ${unknown.join(", ")}. There are: ${known}\n`);
  process.exit(1);
}

const say = (line: string) => void process.stderr.write(`${line}\n`);
const lab = await openLab(Number(values.scale), say);
const results: Record<string, Measured> = {};
try {
  for (const name of names) {
    say(`— ${name}`);
    const measured = await parts[name]?.(lab);
    if (measured !== undefined) results[name] = measured;
  }
} finally {
  await lab.close();
}
process.stdout.write(`${values.json ? JSON.stringify(results) : table(results)}\n`);
process.exit(0);
