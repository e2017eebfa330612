import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import * as fs from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { findServer } from "../../src/redis/private-process.ts";
import type { Lab } from "./lab.ts";
import { sparePort } from "./site.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, ".cache", "bench");
/** What decides about the data that a bench makes. */
const sources = ["src/domain", "src/redis", "scripts/bench/followed.ts", "scripts/bench/lab.ts"];
/** Home timelines expire by themselves, and not much of their time may have passed. */
const freshMilliseconds = 7 * 24 * 60 * 60 * 1000;

let before: Promise<unknown> = Promise.resolve();

/**
 * Fills an empty Redis by `make`, or by what it made when a bench ran before from the same sources. One after another:
 * of parts that run beside each other only the first one makes it.
 */
export async function kept(lab: Lab, name: string, make: () => Promise<void>): Promise<void> {
  const filled = before.then(() => fill(lab, name, make));
  before = filled.catch(() => {});
  await filled;
}

async function fill(lab: Lab, name: string, make: () => Promise<void>): Promise<void> {
  await lab.clear();
  const dump = `${name}-${lab.scale}-${await fingerprint()}.rdb`;
  const known = await fs.stat(join(folder, dump)).catch(() => undefined);
  const began = performance.now();
  if (known !== undefined && Date.now() - known.mtimeMs < freshMilliseconds) {
    await loadDump(lab, dump);
    lab.say(`${name}: loaded in ${((performance.now() - began) / 1000).toFixed(1)} s`);
    return;
  }
  await make();
  await keep(lab, name, dump);
}

async function fingerprint(): Promise<string> {
  const hash = createHash("sha256");
  for (const source of sources) {
    const place = join(root, source);
    const isFolder = (await fs.stat(place)).isDirectory();
    const inside = isFolder ? await fs.readdir(place, { recursive: true }) : [""];
    for (const name of inside.toSorted()) {
      const file = join(place, name);
      if ((await fs.stat(file)).isFile())
        hash.update(file.slice(root.length)).update(await fs.readFile(file));
    }
  }
  return hash.digest("hex").slice(0, 12);
}

/** In the place of older ones of that name. */
async function keep({ ctx: { redis }, scale }: Lab, name: string, dump: string): Promise<void> {
  // SAVE would hold Redis for longer than the client waits for an answer, and would then be sent again.
  // One process at a time writes the data to disk.
  await untilInfo(redis, /aof_rewrite_in_progress:0/);
  await redis.bgsave();
  await untilInfo(redis, /rdb_bgsave_in_progress:0/);
  const [, dataDir = ""] = await redis.config("GET", "dir");
  await fs.mkdir(folder, { recursive: true });
  for (const file of await fs.readdir(folder))
    if (file.startsWith(`${name}-${scale}-`)) await fs.rm(join(folder, file));
  await fs.copyFile(join(dataDir, "dump.rdb"), join(folder, `${dump}.new`));
  await fs.rename(join(folder, `${dump}.new`), join(folder, dump));
}

/** A server that runs takes no dump from a file: it copies one from another server that began with it. */
async function loadDump(lab: Lab, dump: string): Promise<void> {
  const { redis } = lab.ctx;
  const port = await sparePort();
  const flags = `--port ${port} --bind 127.0.0.1 --appendonly no --repl-diskless-sync-delay 0`;
  const args = [...flags.split(" "), "--save", "", "--dir", folder, "--dbfilename", dump];
  const server = await findServer();
  const source = spawn("env", ["LC_ALL=C", server, ...args], { stdio: "ignore" });
  const ended = once(source, "exit");
  const stop = async () => {
    source.kill("SIGKILL");
    await ended;
  };
  lab.onClose(stop);
  try {
    await redis.replicaof("127.0.0.1", port);
    await untilInfo(redis, /master_link_status:up/);
    await redis.replicaof("NO", "ONE");
    await untilInfo(redis, /aof_rewrite_in_progress:0/);
  } finally {
    await stop();
  }
}

async function untilInfo(redis: Lab["ctx"]["redis"], wanted: RegExp): Promise<void> {
  for (let tries = 0; tries < 1200; tries += 1) {
    if (wanted.test(await redis.info())) return;
    await sleep(100);
  }
  throw new Error(`Redis never said ${wanted.source}`);
}
