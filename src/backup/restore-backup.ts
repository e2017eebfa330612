import type { Ctx } from "../context.ts";
import { NewerData, type SiteLock, readState, siteLock } from "../migrations/state.ts";
import { migrate, newest } from "../migrations/migrate.ts";
import { siteClients } from "../redis/client.ts";
import { exec, type Sent } from "../redis/exec.ts";
import { keys } from "../redis/keys.ts";
import type { RedisClient } from "../redis/redis-client.ts";
import { primariesOf, scanNode } from "../redis/servers.ts";
import type { Entry } from "./bytes.ts";
import { restoreFile } from "./files.ts";
import type { Header } from "./header.ts";
import type { BackupFile } from "./read-file.ts";

/** Most of one pipeline: keys, and bytes unless one value alone has more. */
const most = { keys: 500, bytes: 4_000_000 };
/** Milliseconds between two renewals of the lock. */
const renewal = 5000;

/**
 * Writes a backup into the site's Redis. Throws, before anything is written, if the site runs, if the backup is
 * newer than this program, or if there is data and it may not be overwritten. May be repeated if it ended in the
 * middle: until it is complete no site starts on the data.
 */
export async function restoreBackup(
  ctx: Ctx,
  { header, entries }: Pick<BackupFile, "header" | "entries">,
  { overwrite = false } = {},
): Promise<void> {
  const { redis } = ctx;
  if (header.dataVersion > newest) throw new NewerData(header.dataVersion, newest);
  if ((await siteClients(redis)) > 0)
    throw new Error("the site runs: stop its web and worker processes first");
  if (!overwrite && (await hasData(redis)))
    throw new Error(
      "there is data in this Redis already. To replace all of it: npm run restore -- FILE --overwrite",
    );
  const lock = siteLock(redis);
  try {
    if (!(await lock.hold())) throw lockLost;
    await write(ctx, header, { entries, hold: lock.hold });
  } finally {
    await lock.release();
  }
  await migrate(ctx);
}

const lockLost = new Error("another process restores or upgrades the data");

/** Marked as incomplete from the first write to the last. */
async function write(
  ctx: Ctx,
  { dataVersion: version, unindexed = "" }: Header,
  { entries, hold }: Pick<BackupFile, "entries"> & Pick<SiteLock, "hold">,
): Promise<void> {
  const { redis } = ctx;
  await deleteAll(redis);
  let renewed = 0;
  for await (const part of inParts(entries())) {
    if (Date.now() - renewed > renewal) {
      if (!(await hold())) throw lockLost;
      renewed = Date.now();
    }
    const ofRedis: Entry[] = [];
    for (const entry of part) if (!(await restoreFile(ctx, entry))) ofRedis.push(entry);
    await exec(redis, ofRedis.map(toCommand));
  }
  await redis.hset(keys.siteData, { version, cursor: "", restoring: "", unindexed });
}

/** Each deletion may take the mark along. If the first one is refused, the data is whole, and stays as it was. */
async function deleteAll(redis: RedisClient): Promise<void> {
  const mark = async (text: string) => {
    // The script works in a full memory, but makes no hash.
    if ((await redis.setField(keys.siteData, "restoring", text)) === 0)
      await redis.hset(keys.siteData, "restoring", text);
  };
  const before = (await redis.hget(keys.siteData, "restoring")) ?? "";
  await mark("yes");
  for (const [nth, node] of primariesOf(redis).entries()) {
    try {
      await node.flushdb();
    } catch (error) {
      const isWhole = nth === 0 && error instanceof Error && error.name === "ReplyError";
      await mark(isWhole ? before : "yes");
      throw error;
    }
    await mark("yes");
  }
}

/** Left behind by a site that has no users. */
const harmless = [
  keys.siteData,
  keys.siteLock,
  keys.queuePrefix,
  keys.ratePrefix,
  keys.sessionPrefix,
];

/** Whether there is anything that a restore would destroy. */
async function hasData(redis: RedisClient): Promise<boolean> {
  const state = await readState(redis);
  if (state?.restoring === true) return true;
  for (const node of primariesOf(redis))
    for await (const names of scanNode(node, 1000))
      if (names.some((key) => !harmless.some((start) => key.startsWith(start)))) return true;
  return false;
}

/** Without the keys that say what is done with the data just now. */
async function* inParts(entries: AsyncIterable<Entry>): AsyncGenerator<Entry[]> {
  let part: Entry[] = [];
  let bytes = 0;
  for await (const entry of entries) {
    const name = entry.key.toString();
    if (name === keys.siteData || name === keys.siteLock) continue;
    part.push(entry);
    bytes += entry.key.length + entry.value.length;
    if (part.length < most.keys && bytes < most.bytes) continue;
    yield part;
    part = [];
    bytes = 0;
  }
  if (part.length > 0) yield part;
}

/** A key that has expired since is not made. */
function toCommand({ key, expiresAt, value }: Entry): Sent {
  return ["restore", key, expiresAt, value, "REPLACE", ...(expiresAt > 0 ? ["ABSTTL"] : [])];
}
