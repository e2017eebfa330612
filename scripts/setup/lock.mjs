import * as fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { say } from "./run.mjs";

const BEAT_MS = 1000;
const STALE_MS = 5000;

/**
 * Runs `work` while no other set-up of this project runs: `npm start` and `npm test` may begin at
 * the same time. A lock that its owner has not touched for a while was left by a kill.
 */
export async function withLock(root, work) {
  const file = path.join(root, ".cache", "setup.lock");
  fs.mkdirSync(path.dirname(file), { recursive: true });
  await take(file);
  const heart = setInterval(() => touch(file), BEAT_MS);
  try {
    await work();
  } finally {
    clearInterval(heart);
    fs.rmSync(file, { force: true });
  }
}

async function take(file) {
  let beat;
  let since = performance.now();
  for (let tries = 0; !create(file); tries += 1) {
    if (tries === 3) say("waiting for another set-up of this project …");
    const latest = fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs;
    if (latest !== beat) {
      beat = latest;
      since = performance.now();
    } else if (performance.now() - since > STALE_MS) fs.rmSync(file, { force: true });
    await sleep(100);
  }
}

function create(file) {
  try {
    fs.writeFileSync(file, "", { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

function touch(file) {
  const now = new Date();
  try {
    fs.utimesSync(file, now, now);
  } catch {
    // Taken away as stale, while this machine slept: the work goes on.
  }
}
