import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NoSnapshot, snapshotOf, walk } from "../../src/backup/read-server.ts";
import { type Cleanups, collect, contents, server } from "./support.ts";

const cleanups: Cleanups = [];
let socket: string;
let source: Redis;
beforeAll(async () => {
  ({ socket, client: source } = await server(cleanups));
  await fill(source);
});
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const numbers = (count: number) => Array.from({ length: count }, (_, nth) => nth);
const long = "twelve sparrows sit on a wire and sing, ".repeat(40);

/** Values of every type, small and large enough for each of Redis' encodings. */
async function fill(redis: Redis): Promise<void> {
  await redis.set("string", "a");
  await redis.set("empty", "");
  for (const value of [1, -1, 300, -40_000, 70_000, 2 ** 40])
    await redis.set(`int:${value}`, value);
  await redis.set("long", long);
  await redis.set("bytes", Buffer.from(numbers(256)));
  await redis.set("huge", Buffer.alloc(3_000_000, "x"));
  await redis.set("noise", Buffer.from(numbers(100_000).map((nth) => (nth * 7919) % 251)));
  for (const size of [3, 5000]) {
    const many = numbers(size);
    await redis.rpush(`list:${size}`, ...many.map((nth) => `${nth} ${long.slice(0, nth % 90)}`));
    await redis.sadd(`set:${size}`, ...many.map((nth) => `member ${nth}`));
    await redis.sadd(`set:int:${size}`, ...many);
    await redis.hset(`hash:${size}`, Object.fromEntries(many.map((nth) => [`f${nth}`, `v${nth}`])));
    await redis.zadd(`zset:${size}`, ...many.flatMap((nth) => [nth * 1.5, `member ${nth}`]));
    for (const nth of many) await redis.xadd(`stream:${size}`, "*", "nth", nth, "text", "雀");
  }
  await redis.zadd("zset:ends", "-inf", "low", "+inf", "high", 1e300, "far");
  await redis.xgroup("CREATE", "stream:3", "group", "0");
  await redis.xreadgroup("GROUP", "group", "ann", "COUNT", 2, "STREAMS", "stream:3", ">");
  await redis.xgroup("CREATECONSUMER", "stream:3", "group", "idle");
  await redis.xadd("stream:empty", "*", "a", "b");
  await redis.xtrim("stream:empty", "MAXLEN", 0);
  await redis.set("expires", "soon", "PX", 10_000_000);
  await redis.hset("expires:hash", "a", "b");
  await redis.expire("expires:hash", 90_000);
  // Names that a snapshot writes as numbers or compressed.
  for (const name of ["12", "-7", "70000", "雀".repeat(30), "sparrow:".repeat(200)])
    await redis.set(name, name);
  await redis.select(1);
  await redis.set("elsewhere", "is not Suzume's");
  await redis.select(0);
}

describe("a snapshot", () => {
  it("a snapshot has every key as DUMP returns it, of one database", async () => {
    const found = await collect(snapshotOf(source));
    const names = await source.keys("*");
    expect([...found.keys()].toSorted()).toEqual(names.toSorted());
    for (const name of names) {
      const entry = found.get(name);
      const dumped = (await source.dumpBuffer(name)) ?? Buffer.alloc(0);
      const expiresAt = Math.max(Number(await source.call("PEXPIRETIME", name)), 0);
      expect({ name, same: entry?.value.equals(dumped), expiresAt: entry?.expiresAt }).toEqual({
        name,
        same: true,
        expiresAt,
      });
    }
  });

  it("a snapshot makes the same data on another server", async () => {
    const { client } = await server(cleanups);
    for await (const { key, expiresAt, value } of snapshotOf(source))
      await client.restore(key, expiresAt, value, "ABSTTL");
    expect(await contents(client)).toEqual(await contents(source));
  });

  it("a snapshot can be of a database other than the first, and with a password", async () => {
    const locked = await server(cleanups, "--requirepass", "sesame");
    const redis = new Redis({ path: locked.socket, password: "sesame", db: 3 });
    await redis.set("third", "yes");
    expect([...(await collect(snapshotOf(redis))).keys()]).toEqual(["third"]);
    redis.disconnect();
  });

  it("a snapshot is of one moment while other clients write", async () => {
    const { client } = await server(cleanups);
    const { client: copy } = await server(cleanups);
    const writer = client.duplicate();
    // Fills the memory, so that a snapshot takes a while.
    for (const nth of numbers(50)) await client.set(`weight:${nth}`, Buffer.alloc(400_000, nth));
    const stop = new AbortController();
    const writing = (async () => {
      while (!stop.signal.aborted) await Promise.all([writer.incr("first"), writer.incr("second")]);
    })();
    for (let times = 0; times < 3; times += 1) {
      const found = await collect(snapshotOf(client));
      for (const name of ["first", "second"])
        await copy.restore(name, 0, found.get(name)?.value ?? "", "REPLACE");
      const ahead = Number(await copy.get("first")) - Number(await copy.get("second"));
      expect(ahead).toBeOneOf([0, 1]);
    }
    stop.abort();
    await writing;
    writer.disconnect();
  });

  it("a snapshot that the host forbids throws NoSnapshot, and a walk finds the same keys", async () => {
    await source.call("ACL", "SETUSER", "guest", "on", ">guest", "~*", "+@all", "-sync", "-psync");
    const guest = new Redis({ path: socket, username: "guest", password: "guest" });
    await expect(collect(snapshotOf(guest))).rejects.toThrow(NoSnapshot);
    const walked = await collect(walk(guest, { users: 0, tweets: 0 }));
    guest.disconnect();
    const taken = await collect(snapshotOf(source));
    expect([...walked.keys()].toSorted()).toEqual([...taken.keys()].toSorted());
    for (const [name, { value, expiresAt }] of taken) {
      const other = walked.get(name);
      expect({ name, same: other?.value.equals(value), expiresAt: other?.expiresAt }).toEqual({
        name,
        same: true,
        expiresAt,
      });
    }
  });
});
