import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface RedisServer {
  /** Like kill -9. */
  kill(): Promise<void>;
  /** Pauses it: its connections stay open and silent. */
  freeze(): void;
  thaw(): void;
}

const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const server of running) server.kill("SIGKILL");
});

/** A Redis server without persistence, which is not restarted when it dies, and ends with this process. */
export function launchRedis(
  flags: (string | number)[],
  environment: Record<string, string> = {},
): RedisServer {
  const args = ["--save", "", "--appendonly", "no", ...flags].map(String);
  const env = { ...process.env, LC_ALL: "C", ...environment };
  const server = spawn(findServer(), args, { stdio: "ignore", env });
  running.add(server);
  const gone = once(server, "exit").then(() => running.delete(server));
  return {
    async kill() {
      server.kill("SIGKILL");
      await gone;
    },
    freeze: () => void server.kill("SIGSTOP"),
    thaw: () => void server.kill("SIGCONT"),
  };
}

export interface SocketServer extends RedisServer {
  /** Path of the Unix socket. */
  path: string;
  dir: string;
}

/** A server on a Unix socket in a folder of its own, which ends with it. */
export async function launchOnSocket(): Promise<SocketServer> {
  const dir = await mkdtemp(join(tmpdir(), "suzume-test-"));
  const path = join(dir, "redis.sock");
  const server = launchRedis(["--port", 0, "--unixsocket", path, "--dir", dir]);
  return {
    ...server,
    path,
    dir,
    async kill() {
      await server.kill();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

let program: string | undefined;

function findServer(): string {
  return (program ??= firstProgram());
}

function firstProgram(): string {
  const fetched = fileURLToPath(new URL("../../../.cache/redis/bin/redis-server", import.meta.url));
  const found = ["valkey-server", "redis-server", fetched].find((command) => {
    try {
      return /v=([7-9]|\d\d)/.test(execFileSync(command, ["--version"], { encoding: "utf8" }));
    } catch {
      return false;
    }
  });
  if (found === undefined) throw new Error("no Redis server; run node scripts/setup.mjs");
  return found;
}
