import type { Socket } from "node:net";
import type { Redis } from "ioredis";
import type { Entry } from "./bytes.ts";
import { readRdb } from "./rdb.ts";
import { keys } from "../redis/keys.ts";
import type { RedisClient } from "../redis/redis-client.ts";
import { tweetId, userId } from "../domain/ids.ts";

/** Milliseconds without a byte after which Redis counts as away; while it prepares it sends newlines. */
const silence = 60_000;

/** The server does not give snapshots, as some hosts forbid it. */
export class NoSnapshot extends Error {
  override name = "NoSnapshot";
}

/**
 * All keys of a server as they are at one moment, while it goes on working: what a new replica would be sent.
 * Throws NoSnapshot before the first key.
 */
export async function* snapshotOf(node: Redis): AsyncGenerator<Entry> {
  const line = node.duplicate({
    lazyConnect: true,
    enableAutoPipelining: false,
    socketTimeout: undefined,
    commandTimeout: undefined,
    retryStrategy: () => null,
  });
  line.on("error", () => {});
  try {
    await line.connect();
    // Lets Redis send while it reads its memory, instead of writing a file first; and says that we leave after it.
    await line.call("REPLCONF", "capa", "eof");
    await line.call("REPLCONF", "rdb-only", "1").catch(() => {});
    yield* readRdb(await askForSnapshot(line.stream), node.options.db ?? 0);
  } catch (error) {
    const isRefused = error instanceof Error && error.name === "ReplyError";
    throw isRefused ? new NoSnapshot(error.message) : error;
  } finally {
    line.disconnect();
  }
}

/** Takes the connection over from its client, and returns what follows the first line of the reply. */
async function askForSnapshot(stream: Socket): Promise<AsyncIterable<Buffer>> {
  stream.pause().removeAllListeners("data");
  stream.setTimeout(silence);
  stream.once("timeout", () => stream.destroy(new Error("Redis stopped sending its snapshot")));
  stream.write("SYNC\r\n");
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let head = Buffer.alloc(0);
  for (;;) {
    const { done, value } = await chunks.next();
    if (done === true) throw new NoSnapshot("the connection was closed");
    head = Buffer.concat([head, value]);
    // Newlines keep the connection alive.
    while (head[0] === 0x0a) head = head.subarray(1);
    const end = head.indexOf("\r\n");
    if (end === -1) continue;
    const reply = head.subarray(0, end).toString("latin1");
    if (!reply.startsWith("$")) throw new NoSnapshot(reply.replace(/^-/, ""));
    return joined(head.subarray(end + 2), chunks);
  }
}

async function* joined(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

/** Keys of one step, about. */
const count = 200;

/** Ids that were given out before a walk began; `parts` of what is younger may be missing in it. */
type Known = Awaited<ReturnType<typeof knownIds>>;

/**
 * The counters of ids, for the end of a backup: a restore keeps the last entry of a key. Lists that were read after a
 * counter may name ids above it; given out again, these would get the likes and followers of others.
 */
export async function* countersOf(redis: RedisClient): AsyncGenerator<Entry> {
  for (const key of [keys.userIds, keys.tweetIds, keys.appIds]) {
    const value = await redis.dumpBuffer(key);
    if (value !== null) yield { key: Buffer.from(key), expiresAt: 0, value };
  }
}

export async function knownIds(redis: RedisClient) {
  const [users, tweets] = await Promise.all([redis.get(keys.userIds), redis.get(keys.tweetIds)]);
  return { users: Number(users ?? 0), tweets: Number(tweets ?? 0) };
}

/**
 * All keys of a server, one after the other, while it is being written to: each is whole, but together they are
 * not of one moment. Users and tweets that came while it ran are left out. A key may come twice.
 */
export async function* walk(node: Redis, known: Known): AsyncGenerator<Entry> {
  const names: AsyncIterable<Buffer[]> = node.scanBufferStream({ count });
  for await (const some of names)
    yield* await read(
      node,
      some.filter((key) => !isYounger(key.toString(), known)),
    );
}

async function read(node: Redis, names: Buffer[]): Promise<Entry[]> {
  const pipeline = node.pipeline();
  for (const key of names) pipeline.callBuffer("PEXPIRETIME", key).callBuffer("DUMP", key);
  const replies = (await pipeline.exec()) ?? [];
  const reply = (nth: number): unknown => {
    const [error, value] = replies[nth] ?? [new Error("Connection is closed.")];
    if (error !== null) throw error;
    return value;
  };
  return names.flatMap((key, nth): Entry[] => {
    const value = reply(2 * nth + 1);
    // It was deleted meanwhile.
    if (!Buffer.isBuffer(value)) return [];
    return [{ key, expiresAt: Math.max(Number(reply(2 * nth)), 0), value }];
  });
}

const heads = { users: headOf(keys.user(userId(1))), tweets: headOf(keys.tweet(tweetId(1))) };

function isYounger(key: string, known: Known): boolean {
  const [head, id] = key.split(":");
  if (head === heads.users) return Number(id) > known.users;
  return head === heads.tweets && Number(id) > known.tweets;
}

function headOf(key: string): string | undefined {
  return key.split(":")[0];
}
