import * as fs from "node:fs";
import path from "node:path";
import { Problem, run, say, tail } from "./run.mjs";

/** npm's own note of what it installed. */
const NOTE = path.join("node_modules", ".package-lock.json");

/** Whether node_modules is missing, half made or older than package-lock.json. */
export function packagesAreMissing(root) {
  const installed = mtime(path.join(root, NOTE));
  return installed === undefined || installed < mtime(path.join(root, "package-lock.json"));
}

export async function installPackages(root) {
  say("installing packages (npm ci) …");
  const { code, output } = await run("npm", ["ci", "--include=dev"], { cwd: root });
  if (code !== 0) {
    throw new Problem(
      `npm ci failed:\n${tail(output)}\n` +
        "See that the network is up (and npm is on PATH), then try again; what it says in full:\n" +
        "  npm ci --include=dev",
    );
  }
  // Not older than a lock file from the future; a Date drops the fractions that mtimes have.
  const lock = Math.ceil(mtime(path.join(root, "package-lock.json"))) + 1;
  const done = new Date(Math.max(Date.now(), lock));
  fs.utimesSync(path.join(root, NOTE), done, done);
}

/** Milliseconds since 1970; undefined where there is no such file. */
function mtime(file) {
  return fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}
