import { randomUUID } from "node:crypto";
import { operatorNeeded } from "../config.ts";
import { keys } from "../redis/keys.ts";
import type { RedisClient } from "../redis/redis-client.ts";

/** What the data says about itself. */
export type DataState = NonNullable<Awaited<ReturnType<typeof readState>>>;

/** Undefined: no data yet. */
export async function readState(redis: RedisClient) {
  const fields = ["version", "cursor", "restoring", "unindexed"];
  const [version, cursor, restoring, unindexed] = await redis.hmget(keys.siteData, ...fields);
  // A site without this key and without users is a new one.
  if (!version && !restoring && (await redis.exists(keys.userIds)) === 0) return undefined;
  return {
    /** Number of the newest migration that is complete; 0 for data from before there were migrations. */
    version: Number(version ?? 0),
    /** Where the next migration stopped. */
    cursor: cursor || undefined,
    /** How far the indexing of older tweets and people is; empty if none wait. See search/index-older.ts. */
    unindexed: unindexed ?? "",
    /** A backup is being restored, or was and did not come to its end. */
    restoring: Boolean(restoring),
  };
}

/** The data was written by a newer program. */
export class NewerData extends Error {
  override name = "NewerData";
  readonly exitCode = operatorNeeded;

  constructor(found: number, known: number) {
    super(
      `the data in Redis is of version ${found}, made by a newer Suzume; this one knows version ${known} at most. ` +
        "Start the newer one, or restore a backup from before the upgrade (docs/operations.md)",
    );
  }
}

/** A restore was interrupted: a part of the data is missing. */
class HalfRestored extends Error {
  override name = "HalfRestored";
  readonly exitCode = operatorNeeded;

  constructor() {
    super(
      "a backup is being restored here, or was and did not come to its end: wait for it, or run " +
        "`npm run restore -- FILE --overwrite` again",
    );
  }
}

/** Throws NewerData or HalfRestored: such data must not be touched. */
export function refuseUnusable(state: DataState, known: number): void {
  if (state.restoring) throw new HalfRestored();
  if (state.version > known) throw new NewerData(state.version, known);
}

/** Seconds after which the lock of a process that died lapses. */
const life = 30;

export type SiteLock = ReturnType<typeof siteLock>;

/** Held by the process that changes all data: one at a time. */
export function siteLock(redis: RedisClient) {
  const token = randomUUID();
  return {
    /** Takes the lock, or renews it; false if another process has it. */
    hold: async () => (await redis.holdClaim(keys.siteLock, token, life)) === 1,
    release: () => redis.releaseClaim(keys.siteLock, token),
  };
}
