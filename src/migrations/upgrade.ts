import { setTimeout as sleep } from "node:timers/promises";
import type { Ctx } from "../context.ts";
import { isOutage } from "../domain/outage.ts";
import { migrate, type MigrateOptions } from "./migrate.ts";

/** Milliseconds until Redis is asked again. */
const pause = 50;

/** What a process waits for before it serves. Begins at once; goes on after each outage of Redis. */
export function startUpgrade(ctx: Ctx, options: MigrateOptions = {}) {
  let isDone = false;
  const stopped = new AbortController();
  let upgrades = false;
  let doing = "its version is being read";
  const say = (line: string) => {
    if (!upgrades) ctx.log.warn(line);
    upgrades = true;
    doing = line;
  };
  const run = async () => {
    while (!stopped.signal.aborted) {
      try {
        await migrate(ctx, { ...options, say });
        if (upgrades) ctx.log.warn("the data is up to date");
        isDone = true;
        return;
      } catch (error) {
        if (!isOutage(error) && !stopped.signal.aborted) throw error;
        await sleep(pause, undefined, { ref: false });
      }
    }
    // Ends before the data is ready.
    await new Promise(() => {});
  };
  const done = run();
  // Programs wait for `done` later than now.
  done.catch(() => {});
  return {
    /** Resolves when the data has the version of this program. Rejects if the data cannot be used; see migrate. */
    done,
    isDone: () => isDone,
    /** What is being done, in words; empty once it is done. */
    troubles: () => (isDone ? [] : [`the data is not ready: ${doing}`]),
    stop() {
      stopped.abort();
    },
  };
}
