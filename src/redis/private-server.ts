import type { ChildProcess } from "node:child_process";
import * as fs from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { BadConfig } from "../config.ts";
import {
  hasEnded,
  launch,
  lock,
  removeLink,
  serverState,
  socketPath,
  untilReady,
} from "./private-process.ts";
import { infoOf } from "./servers.ts";

export type PrivateServer = Awaited<ReturnType<typeof startPrivateServer>>;

interface Options {
  /** Holds the append-only file, log and socket. Made, for this system user only, if it does not exist. */
  dataDir: string;
  /** Told about slow steps. */
  say?: (line: string) => void;
}

const STOP_MS = 10_000;
const hour = 60 * 60 * 1000;
const day = 24 * hour;

/**
 * A private Redis in `dataDir`. A server that already runs there (left over from a killed process, or used by
 * another process) is shared instead of starting a new one; a server that dies is started again. It outlives
 * this process unless stopped, and does not keep this process alive. Rejects with advice.
 */
export async function startPrivateServer({ dataDir, say = () => {} }: Options) {
  const dir = await openFolder(dataDir);
  const socket = await socketPath(dir);
  const server: Server = { dir, socket, process: undefined, say };
  await ensureRunning(server);
  const lease = await takeLease(socket);
  const endRewrites = rewriteDaily(lease, dir);
  let stopped: Promise<void> | undefined;
  let reviving = Promise.resolve();
  lease.on("close", () => {
    reviving = reviving.then(() => revive(server, () => stopped !== undefined));
  });
  const stop = async () => {
    endRewrites();
    await reviving;
    await release(lease, server);
  };
  return {
    /** Path of the Unix socket, short enough for every system. */
    socket,
    /**
     * Shuts the server down, unless another process is connected to it. Close this process's other clients
     * first. Takes at most about 10 s; never rejects.
     */
    stop: () => (stopped ??= stop()),
  };
}

/** Makes the folder if it does not exist. Rejects with advice if it is not writable. */
async function openFolder(dataDir: string): Promise<string> {
  try {
    await fs.mkdir(dataDir, { recursive: true, mode: 0o700 });
    await fs.access(dataDir, fs.constants.W_OK);
    return await fs.realpath(dataDir);
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new BadConfig(
      `DATA_DIR must be a folder that you may write (${cause}). Remedy: DATA_DIR=/another/folder npm start`,
      { cause: error },
    );
  }
}

interface Server extends Pick<Required<Options>, "say"> {
  dir: string;
  socket: string;
  /** Undefined while the server of another process is used. */
  process: ChildProcess | undefined;
}

async function ensureRunning(server: Server): Promise<void> {
  const unlock = await lock(server.dir);
  try {
    const running = (await serverState(server.socket)) !== "absent";
    const launched = running ? undefined : await launch(server.dir);
    await untilReady(server.socket, server.dir, launched, server.say);
    server.process = launched?.process ?? server.process;
  } finally {
    await unlock();
  }
}

/** Waits a little longer after each failure, such as a full disk. */
async function revive(server: Server, isStopped: () => boolean): Promise<void> {
  for (let wait = 100; !isStopped(); wait = Math.min(wait * 2, 10_000)) {
    await sleep(wait, undefined, { ref: false });
    if (isStopped()) return;
    try {
      return await ensureRunning(server);
    } catch (error) {
      server.say(error instanceof Error ? error.message : String(error));
    }
  }
}

/** The connection that shows other processes that this one uses the server. */
async function takeLease(socket: string): Promise<Redis> {
  const lease = new Redis({
    path: socket,
    connectionName: "suzume-lease",
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 5000,
    retryStrategy: (attempt) => Math.min(attempt * 200, 2000),
  });
  lease.on("error", () => {});
  lease.on("connect", () => lease.stream.unref());
  await lease.connect();
  return lease;
}

async function release(lease: Redis, server: Server): Promise<void> {
  if (lease.status === "ready") lease.stream.ref();
  // A deleted folder cannot be locked, and needs no lock.
  const unlock = await lock(server.dir).catch(() => async () => {});
  try {
    await reconnect(lease);
    if (await isAlone(lease)) await shutDown(lease, server);
  } catch {
    // Redis is away already, or refuses and logs the reason.
  } finally {
    lease.disconnect();
    await unlock();
  }
}

/** The server may have been away. A waiting lease stops waiting: else it would connect after its end. */
async function reconnect(lease: Redis): Promise<void> {
  while (lease.status === "connecting" || lease.status === "connect") await sleep(20);
  if (lease.status === "ready") return;
  lease.disconnect();
  await lease.connect();
}

/** Closing clients may still be listed for a moment. */
async function isAlone(lease: Redis): Promise<boolean> {
  for (let tries = 0; tries < 5; tries += 1) {
    const clients = String(await lease.client("LIST"))
      .trim()
      .split("\n");
    if (clients.length === 1) return true;
    await sleep(100);
  }
  return false;
}

async function shutDown(lease: Redis, { dir, socket, process: child }: Server): Promise<void> {
  const began = performance.now();
  // Success is a connection that closes without a reply.
  await lease.shutdown().catch((error: Error) => {
    if (error.name === "ReplyError") throw error;
  });
  lease.disconnect();
  const gone = async () =>
    (await serverState(socket)) === "absent" && (child === undefined || hasEnded(child));
  while (!(await gone()) && performance.now() - began < STOP_MS) await sleep(20);
  await removeLink(dir, socket);
}

/**
 * Deleted data stays in the append-only file until it is rewritten; Redis does so by itself only when the file
 * has doubled. So it is rewritten on each day with writes. Looks at once and every hour, until the returned
 * function is called.
 */
function rewriteDaily(lease: Redis, dir: string): () => void {
  const look = () => void rewriteIfDue(lease, dir).catch(() => {});
  look();
  const timer = setInterval(look, hour).unref();
  return () => clearInterval(timer);
}

async function rewriteIfDue(lease: Redis, dir: string): Promise<void> {
  const rewrittenAt = await lastRewrite(path.join(dir, "appendonlydir"));
  if (rewrittenAt === undefined || Date.now() - rewrittenAt < day) return;
  const { aof_current_size: size, aof_base_size: base } = await infoOf(lease, "persistence");
  if (Number(size) > Number(base)) await lease.bgrewriteaof();
}

/** Milliseconds since 1970 of the newest base file; each rewrite makes one. */
async function lastRewrite(folder: string): Promise<number | undefined> {
  const bases = (await fs.readdir(folder)).filter((name) => name.includes(".base."));
  const stats = await Promise.all(bases.map((name) => fs.stat(path.join(folder, name))));
  return stats.length === 0 ? undefined : Math.max(...stats.map(({ mtimeMs }) => mtimeMs));
}
