import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { builtProgram } from "./built-program.ts";
import { freePort } from "./ports.ts";
import { launchOnSocket } from "./redis-server.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** A web process with its workers, as `node dist/web.js`, on a Redis that only it uses. */
export interface SiteProcess {
  port: number;
  /** Where its Redis listens. */
  socket: string;
  child: ChildProcess;
  /** Its exit code, or the signal that ended it. */
  exited: Promise<number | NodeJS.Signals | null>;
  /** Ends it and its Redis at once. */
  kill(): Promise<void>;
}

export async function startSiteProcess(more: Record<string, string> = {}): Promise<SiteProcess> {
  const { path: socket, dir, kill } = await launchOnSocket();
  const port = await freePort();
  const settings = { REDIS_URL: socket, PORT: String(port), HOST: "127.0.0.1", DATA_DIR: dir };
  const child = spawn(process.execPath, [await builtProgram("web")], {
    cwd: root,
    env: { PATH: process.env["PATH"], LOG_LEVEL: "error", ...settings, ...more },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const exited = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once("exit", (code, signal) => resolve(code ?? signal));
  });
  await untilReady(port);
  return {
    port,
    socket,
    child,
    exited,
    async kill() {
      child.kill("SIGKILL");
      await exited;
      await kill();
    },
  };
}

async function untilReady(port: number): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    if (answer?.status === 200) return;
    await sleep(50);
  }
  throw new Error("the site does not start");
}
