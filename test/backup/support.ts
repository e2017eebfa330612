import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import type { Entry } from "../../src/backup/bytes.ts";
import { parseConfig } from "../../src/config.ts";
import { open, type Opened } from "../../src/open.ts";
import { launchRedis } from "../support/world/redis-server.ts";

export type Cleanups = (() => Promise<unknown>)[];

/** A folder of the test's own. */
export async function folder(cleanups: Cleanups): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "suzume-test-"));
  cleanups.push(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

/** An empty server of the test's own: its socket, and a client without Suzume's settings. */
export async function server(cleanups: Cleanups, ...flags: (string | number)[]) {
  const dir = await folder(cleanups);
  const socket = join(dir, "r.sock");
  const place = ["--port", 0, "--unixsocket", socket, "--dir", dir];
  const quick = ["--repl-diskless-sync", "yes", "--repl-diskless-sync-delay", 0];
  const running = launchRedis([...place, ...quick, ...flags]);
  cleanups.push(() => running.kill());
  const client = new Redis({ path: socket, retryStrategy: () => 20, maxRetriesPerRequest: null });
  client.on("error", () => {});
  // Also an answer that a password is wanted shows that it is there.
  await client.ping().catch(() => {});
  cleanups.push(async () => client.disconnect());
  return { socket, client };
}

/** The site's Redis as programs beside the site open it. */
export async function openAt(cleanups: Cleanups, ...urls: string[]): Promise<Opened> {
  const opened = await open(parseConfig({ REDIS_URL: urls.join(","), LOG_LEVEL: "silent" }));
  cleanups.push(() => opened.close());
  return opened;
}

/** By their keys; a key that came twice is there once. */
export async function collect(entries: AsyncIterable<Entry>): Promise<Map<string, Entry>> {
  const found = new Map<string, Entry>();
  for await (const entry of entries) found.set(entry.key.toString(), entry);
  return found;
}

/** Everything that a server has, in comparable form. */
export async function contents(redis: Redis): Promise<Map<string, unknown>> {
  const names = (await redis.keys("*")).toSorted();
  const all = new Map<string, unknown>();
  for (const name of names) {
    const type = await redis.type(name);
    const expiry = Number(await redis.call("PEXPIRETIME", name));
    all.set(name, { type, expiry, value: await valueOf(redis, name, type) });
  }
  return all;
}

async function valueOf(redis: Redis, name: string, type: string): Promise<unknown> {
  switch (type) {
    case "string":
      return (await redis.getBuffer(name))?.toString("hex");
    case "list":
      return await redis.lrange(name, 0, "-1");
    case "set":
      return (await redis.smembers(name)).toSorted();
    case "hash":
      return await redis.hgetall(name);
    case "zset":
      return await redis.zrange(name, 0, "-1", "WITHSCORES");
    case "stream":
      return [
        await redis.xrange(name, "-", "+"),
        await redis.xinfo("GROUPS", name),
        await redis.call("XINFO", "STREAM", name),
      ];
    default:
      throw new Error(`${name} is a ${type}`);
  }
}
