// Starts the site and runs quick tests on every Node.js that Suzume supports:
// `node scripts/ci/nodes.mjs [--thorough] [VERSION …]`. Each comes from the npm registry, as a package whose bin/node it
// is. Exit code 0 if all of it went well.
import { spawn } from "node:child_process";
import * as fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** The oldest one that package.json allows, and the newest of each later line. */
const VERSIONS = ["20.19", "22", "24"];
/** What depends most on Node.js: compression, and then also text, streams, files and a day of a user. */
const TESTS = ["test/web/server/compress.test.ts"];
const MORE_TESTS = [
  "test/web/assets.test.ts",
  "test/domain/tweets",
  "test/backup/make-backup.test.ts",
  "test/stories/first-day.test.ts",
];

const words = process.argv.slice(2);
const isThorough = words.includes("--thorough");
const named = words.filter((word) => word !== "--thorough");
const tests = isThorough ? [...TESTS, ...MORE_TESTS] : TESTS;

function run(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      ...options,
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (text) => (output += text));
    child.on("error", (error) => resolve({ ok: false, output: String(error) }));
    child.on("close", (code) => resolve({ ok: code === 0, output }));
  });
}

/** The folder with this Node.js, which stays in .cache. */
async function fetchNode(version) {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = path.join(root, ".cache", "nodes", version);
  const bin = path.join(folder, "node_modules", name, "bin");
  if (fs.existsSync(path.join(bin, "node"))) return bin;
  fs.mkdirSync(folder, { recursive: true });
  const options = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts"];
  const { ok, output } = await run("npm", [
    "install",
    "--prefix",
    folder,
    ...options,
    `${name}@${version}`,
  ]);
  if (!ok) throw new Error(`npm has no ${name}@${version}:\n${output}`);
  return bin;
}

async function check(version) {
  const began = performance.now();
  const bin = await fetchNode(version);
  const env = { ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH}` };
  const node = path.join(bin, "node");
  const start = await run(node, ["scripts/ci/node-check.mjs"], { env });
  if (!start.ok) throw new Error(`the site does not work:\n${start.output}`);
  const vitest = ["node_modules/vitest/vitest.mjs", "run", ...tests];
  const tested = await run(node, vitest, { env: { ...env, NO_COLOR: "1" } });
  if (!tested.ok) throw new Error(`tests fail:\n${tested.output.slice(-8000)}`);
  const seconds = Math.round((performance.now() - began) / 1000);
  const [, passed] = /Tests +(\d+) passed/.exec(tested.output) ?? [];
  return `${start.output.trim()}; ${passed} tests passed (${seconds} s)`;
}

for (const version of named.length > 0 ? named : VERSIONS)
  try {
    process.stdout.write(`Node.js ${version}: ${await check(version)}\n`);
  } catch (error) {
    process.stdout.write(`Node.js ${version} FAILED: ${error.message}\n`);
    process.exitCode = 1;
  }
