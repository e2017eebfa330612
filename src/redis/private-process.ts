import { createHash } from "node:crypto";
import * as fs from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir, totalmem } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { compactSettings } from "./servers.ts";

/** The kernel takes 108 bytes on Linux and 104 on macOS. */
const SOCKET_PATH_BYTES = 100;

/**
 * One process at a time starts or stops the server of a folder: two servers would damage each other's
 * append-only file. A lock that its owner has not touched for 4 s has expired.
 */
export async function lock(dir: string): Promise<() => Promise<void>> {
  const file = path.join(dir, "redis.lock");
  let beat: number | undefined;
  for (let since = performance.now(); ; await sleep(50)) {
    const isTaken = await fs.writeFile(file, "", { flag: "wx", mode: 0o600 }).then(
      () => false,
      catchCode("EEXIST", () => true),
    );
    if (!isTaken) break;
    const latest = (await fs.stat(file).catch(() => undefined))?.mtimeMs;
    if (latest !== beat) {
      beat = latest;
      since = performance.now();
    } else if (performance.now() - since > 4000) await fs.rm(file, { force: true });
  }
  const touch = () => void fs.utimes(file, new Date(), new Date()).catch(() => {});
  const heart = setInterval(touch, 1000);
  return async () => {
    clearInterval(heart);
    await fs.rm(file, { force: true });
  };
}

/**
 * The socket is always in the data folder, so that a folder cannot get two servers. If its path is too long,
 * it is reached through a link in a folder of this system user.
 */
export async function socketPath(dir: string): Promise<string> {
  const direct = path.join(dir, "redis.sock");
  if (Buffer.byteLength(direct) < SOCKET_PATH_BYTES) return direct;
  const hash = createHash("sha256").update(dir).digest("hex").slice(0, 16);
  const folder = path.join(tmpdir(), `suzume-${hash}`);
  await fs.mkdir(folder, { mode: 0o700 }).catch(catchCode("EEXIST", () => {}));
  const stats = await fs.lstat(folder);
  const ours = stats.isDirectory() && stats.uid === process.getuid?.() && !(stats.mode & 0o077);
  const socket = path.join(folder, "data", "redis.sock");
  if (!ours || Buffer.byteLength(socket) >= SOCKET_PATH_BYTES) {
    throw new Error(`${folder} cannot hold Redis's socket: set DATA_DIR to a shorter path`);
  }
  await fs.symlink(dir, path.join(folder, "data")).catch(catchCode("EEXIST", () => {}));
  return socket;
}

/** Removes what `socketPath` may have made outside the data folder. */
export async function removeLink(dir: string, socket: string): Promise<void> {
  const link = path.dirname(socket);
  if (link === dir) return;
  await fs.unlink(link);
  await fs.rmdir(path.dirname(link));
}

/** Whether a server listens at the socket. A frozen one counts as loading. */
export function serverState(socket: string): Promise<"ready" | "loading" | "absent"> {
  return new Promise((resolve, reject) => {
    const connection = connect(socket, () => connection.write("PING\r\n"));
    const finish = (answer: "ready" | "loading" | "absent") => {
      connection.destroy();
      resolve(answer);
    };
    connection.setTimeout(2000, () => finish("loading"));
    connection.once("data", (reply) => {
      finish(reply.toString().startsWith("-LOADING") ? "loading" : "ready");
    });
    connection.once("end", () => finish("absent"));
    connection.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EAGAIN") finish("loading");
      else if (["EACCES", "EPERM"].includes(error.code ?? "")) reject(error);
      else finish("absent");
    });
  });
}

/** A rejection handler that turns one error code into a value and throws the others. */
function catchCode<T>(code: string, value: () => T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code !== code) throw error;
    return value();
  };
}

/** The oldest Redis with script flags. */
const OLDEST_MAJOR = 7;

/** A server process that we started. `logged`: bytes of redis.log that earlier servers wrote. */
type Launched = Awaited<ReturnType<typeof launch>>;

/**
 * Max read keys that Redis notes for the web processes, by the memory of the machine. A key takes 99 to 167 bytes: at most
 * 2 % of 2 GB or more. A full table makes the processes forget pages; without a bound, who looks up names fills the memory.
 */
export function maxTrackedKeys(memoryBytes: number): number {
  return Math.min(Math.max(Math.floor(memoryBytes / 10_000), 200_000), 1_000_000);
}

export async function launch(dir: string) {
  const server = await findServer();
  // A container may have less than its machine; 0: it has no bound.
  const memory = Math.min(totalmem(), process.constrainedMemory() || Infinity);
  const log = await fs.open(path.join(dir, "redis.log"), "a", 0o600);
  const { size: logged } = await log.stat();
  const compact = Object.entries(compactSettings).map((setting) => `--${setting.join(" ")}`);
  const flags = `--port 0 --unixsocket redis.sock --unixsocketperm 700 --appendonly yes
    --appendfsync everysec --maxmemory-policy noeviction
    --tracking-table-max-keys ${maxTrackedKeys(memory)} --logfile redis.log
    --repl-diskless-sync yes --repl-diskless-sync-delay 0 ${compact.join(" ")}`.split(/\s+/);
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
