import { type ChildProcess, execFile, spawn } from "node:child_process";
import * as fs from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { serverState } from "./private-folder.ts";
import { compactHashes } from "./servers.ts";

/** The oldest Redis with script flags. */
const OLDEST_MAJOR = 7;

/** A server process that we started. */
interface Launched {
  process: ChildProcess;
  /** Bytes of redis.log that earlier servers wrote. */
  logged: number;
}

export async function launch(dir: string): Promise<Launched> {
  const server = await findServer();
  const log = await fs.open(path.join(dir, "redis.log"), "a", 0o600);
  const { size: logged } = await log.stat();
  const flags = `--port 0 --unixsocket redis.sock --unixsocketperm 700 --appendonly yes
    --appendfsync everysec --maxmemory-policy noeviction
    --tracking-table-max-keys 200000 --logfile redis.log
    --repl-diskless-sync yes --repl-diskless-sync-delay 0
    --${compactHashes.setting} ${compactHashes.bytes}`.split(/\s+/);
  const args = [...flags, "--save", "", "--dir", dir];
  // Newer servers refuse to start under a locale that the system lacks.
  const child = spawn("env", ["LC_ALL=C", server, ...args], {
    cwd: dir,
    detached: true,
    stdio: ["ignore", log.fd, log.fd],
  });
  child.on("error", () => {});
  child.unref();
  await log.close();
  return { process: child, logged };
}

/** A command that starts a recent enough Redis: the system's, or the one that the set-up downloaded. */
export async function findServer(): Promise<string> {
  const fetched = fileURLToPath(new URL("../../.cache/redis/bin/redis-server", import.meta.url));
  for (const command of ["valkey-server", "redis-server", fetched]) {
    const answer = await promisify(execFile)(command, ["--version"]).catch(() => undefined);
    const major = Number(/\bv=(\d+)/.exec(answer?.stdout ?? "")?.[1] ?? 0);
    if (major >= OLDEST_MAJOR) return command;
  }
  throw new Error(
    `No Redis ${OLDEST_MAJOR} or newer was found. Run \`npm start\` or \`node scripts/setup.mjs\`, ` +
      "which provide one, or set REDIS_URL.",
  );
}

/** Waits while the server runs: a large append-only file may take minutes to load. */
export async function untilReady(
  socket: string,
  dir: string,
  launched: Launched | undefined,
  say: (line: string) => void,
): Promise<void> {
  const began = performance.now();
  for (let told = 0; ; await sleep(50)) {
    const answer = await serverState(socket);
    if (answer === "ready") return;
    const dead = launched === undefined ? answer === "absent" : hasEnded(launched.process);
    if (dead) throw new Error(await exitReason(dir, launched));
    const seconds = Math.floor((performance.now() - began) / 10_000) * 10;
    if (seconds > told) say(`Redis is still loading its data after ${seconds} s …`);
    told = seconds;
  }
}

export function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}

async function exitReason(dir: string, launched: Launched | undefined): Promise<string> {
  const file = path.join(dir, "redis.log");
  const log = await fs.readFile(file);
  const end = log.subarray(launched?.logged ?? 0).toString("utf8");
  const lines = end.trimEnd().split("\n").slice(-10);
  const cause = launched?.process.signalCode ?? `exit code ${launched?.process.exitCode ?? "?"}`;
  return `Redis did not start (${cause}). The end of ${file}:\n${lines.join("\n")}`;
}
