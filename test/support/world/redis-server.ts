import { execFileSync, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export interface RedisServer {
  /** As kill -9 does. */
  kill(): Promise<void>;
  /** Stops it where it is: its connections stay open and are silent. */
  freeze(): void;
  thaw(): void;
}

/** A Redis server that nobody looks after: it keeps nothing, and stays away once it is killed. */
export function launchRedis(
  flags: (string | number)[],
  environment: Record<string, string> = {},
): RedisServer {
  const args = ["--save", "", "--appendonly", "no", ...flags].map(String);
  const env = { ...process.env, LC_ALL: "C", ...environment };
  const server = spawn(findServer(), args, { stdio: "ignore", env });
  const gone = new Promise<void>((resolve) => server.once("exit", () => resolve()));
  return {
    async kill() {
      server.kill("SIGKILL");
      await gone;
    },
    freeze: () => void server.kill("SIGSTOP"),
    thaw: () => void server.kill("SIGCONT"),
  };
}

function findServer(): string {
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
