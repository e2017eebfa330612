import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { extname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { operatorNeeded } from "./config.ts";

/** Max milliseconds before a process that ended is replaced: 1, 2, 4 … seconds up to this. */
const longestPause = 30_000;
/** A process that lived for this many milliseconds was healthy: the next pause is short again. */
const longLife = 60_000;

/** What a process says about itself when it listens, and when Redis works for the first time. */
export interface Condition {
  /** Address of the site. */
  url: string;
  /** What does not work, in words; empty if all is well. */
  troubles: string[];
}

/**
 * Several web processes on one port, as `WEB_CONCURRENCY` says. `settings` are set for each of them. The first
 * one runs the workers, if INLINE_WORKER says so. They end with this process, however it ends. `say` tells about
 * processes that ended, `onCondition` gets what each process says.
 */
export function startWebProcesses(
  count: number,
  settings: Record<string, string>,
  say: (line: string) => void,
  onCondition: (condition: Condition) => void = () => {},
) {
  const file = `./web${extname(fileURLToPath(import.meta.url))}`;
  cluster.setupPrimary({ exec: fileURLToPath(new URL(file, import.meta.url)) });
  const ends = new Map<Worker, Promise<number>>();
  let hasListened = false;
  let ending = false;
  const keep = async (nth: number) => {
    for (let failures = 0; ; failures += 1) {
      if (ending) return;
      const began = performance.now();
      const one = cluster.fork(nth === 0 ? settings : { ...settings, INLINE_WORKER: "false" });
      one.on("message", (condition: Condition) => {
        hasListened = true;
        onCondition(condition);
      });
      // -1 if a signal ends it.
      const ended = once(one, "exit").then(([code]) => (code as number | null) ?? -1);
      ends.set(one, ended);
      const code = await ended;
      if (ending) return;
      ends.delete(one);
      if (!hasListened || code === operatorNeeded)
        throw Object.assign(new Error("a web process ended before it listened"), {
          exitCode: code === operatorNeeded ? code : 1,
        });
      if (performance.now() - began > longLife) failures = 0;
      const wait = Math.min(1000 * 2 ** failures, longestPause);
      say(`web process ${one.process.pid} ended (${code}); another one starts in ${wait / 1000} s`);
      // This pause alone keeps the process alive when all web processes have ended.
      await pause(wait);
    }
  };
  const running = new Promise<never>((_, reject) => {
    for (let nth = 0; nth < count; nth += 1) keep(nth).catch(reject);
  });
  return {
    /** Rejects if a process ends before any of them listens, or ends because the operator must act. */
    running,
    /** Ends them as SIGTERM does. Throws if one of them could not finish its work. */
    async close() {
      ending = true;
      for (const { process: child } of ends.keys()) child.kill("SIGTERM");
      const codes = await Promise.all(ends.values());
      if (codes.some((code) => code !== 0)) throw new Error("a web process was cut off");
    },
  };
}
