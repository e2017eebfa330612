import { setTimeout as sleep } from "node:timers/promises";
import type { Ctx } from "../context.ts";
import { keys } from "../redis/keys.ts";
import type { RedisClient } from "../redis/redis-client.ts";
import { readState, refuseUnusable, type SiteLock, siteLock } from "./state.ts";
import { type Migration, migrations as all } from "./migrations.ts";
import { isOutage } from "../domain/outage.ts";

/** Milliseconds until a process that waits for another one looks again. */
const waiting = 500;

/** The version of the data that this program reads and writes. */
export const newest = all.length;

/**
 * Brings the data to the newest version. One process does it, others wait; a process that dies is replaced by
 * another, which goes on where it stopped. Throws NewerData or HalfRestored.
 */
export async function migrate(
  ctx: Ctx,
  { migrations = all, say = () => {} }: MigrateOptions = {},
): Promise<void> {
  const { redis } = ctx;
  const goal = migrations.length;
  const lock = siteLock(redis);
  for (;;) {
    const state = await readState(redis);
    if (state === undefined) {
      await redis.hsetnx(keys.siteData, "version", goal);
      continue;
    }
    refuseUnusable(state, goal);
    if (state.version === goal) return;
    if (await lock.hold()) {
      try {
        await runNext(ctx, { hold: lock.hold, say, migrations });
      } finally {
        await lock.release();
      }
    } else {
      say("another process brings the data to this version");
      await sleep(waiting);
    }
  }
}

/** For programs that work beside the site. Throws unless the data is of this version, or there is none yet. */
export async function requireCurrent(redis: RedisClient): Promise<void> {
  const state = await readState(redis);
  if (state === undefined) return;
  refuseUnusable(state, newest);
  if (state.version < newest)
    throw new Error(
      `the data is of version ${state.version}, this Suzume needs ${newest}: start the site once, it upgrades the data`,
    );
}

interface MigrateOptions {
  /** Only tests give other ones. */
  migrations?: readonly Migration[];
  /** Told what is being done. */
  say?: (line: string) => void;
}

/** Runs the first migration that is not complete. */
async function runNext(
  ctx: Ctx,
  { hold, say, migrations }: Required<MigrateOptions> & Pick<SiteLock, "hold">,
): Promise<void> {
  const { redis } = ctx;
  // Read again: before the lock was taken another process may have completed one.
  const state = await readState(redis);
  const next = migrations.find(({ version }) => version === (state?.version ?? 0) + 1);
  if (next === undefined) return;
  const before = String(next.version - 1);
  await redis.hsetnx(keys.siteData, "version", before);
  let cursor = state?.cursor;
  do {
    const done = cursor === undefined ? "" : `, at ${cursor}`;
    say(`migration ${next.version} of ${migrations.length}: ${next.does}${done}`);
    cursor = await next.step(ctx, cursor);
    if (!(await hold())) return;
    // If another process has taken over and gone further, nothing is set.
    const fields = cursor === undefined ? ["version", String(next.version)] : [];
    await redis.updateIf(keys.siteData, "version", before, ...fields, "cursor", cursor ?? "");
  } while (cursor !== undefined);
}

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
    stop: () => stopped.abort(),
  };
}
