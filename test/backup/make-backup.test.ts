import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Redis } from "ioredis";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Header } from "../../src/backup/header.ts";
import { makeBackup } from "../../src/backup/make-backup.ts";
import { readFile } from "../../src/backup/read-file.ts";
import { restoreBackup } from "../../src/backup/restore-backup.ts";
import { parseConfig } from "../../src/config.ts";
import { tweetId, userId } from "../../src/domain/ids.ts";
import { newest } from "../../src/migrations/migrate.ts";
import { open } from "../../src/open.ts";
import { keys } from "../../src/redis/keys.ts";
import { freePlaces } from "../support/world/cluster-node.ts";
import { type Cleanups, collect, folder, openAt, server } from "./support.ts";

const cleanups: Cleanups = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** Made for this test, and used nowhere else. */
const pem = (name: "cert" | "key") => fileURLToPath(new URL(`tls/${name}.pem`, import.meta.url));

/** A small site without the program: two users and a tweet, and what came after the counters. */
async function fill(client: Redis): Promise<void> {
  await client.set(keys.userIds, 2);
  await client.set(keys.tweetIds, 1);
  for (const id of [1, 2, 3]) await client.hset(keys.user(userId(id)), "name", `bird${id}`);
  for (const id of [1, 2]) await client.hset(keys.tweet(tweetId(id)), "text", "chirp");
}

async function backUp(urls: string[], how?: Header["how"]) {
  const said: string[] = [];
  const file = join(await folder(cleanups), "site.backup");
  const opened = await openAt(cleanups, ...urls);
  const say = (line: string) => said.push(line);
  const options = { file, secret: "s", program: "0.1.0", say, ...(how && { how }) };
  const header = await makeBackup(opened.ctx, options);
  const found = await collect((await readFile(file)).entries());
  return { file, header, said, names: [...found.keys()].filter((name) => !name.startsWith("{")) };
}

describe("making a backup", () => {
  it("a backup is a snapshot if Redis gives one", async () => {
    const { client, socket } = await server(cleanups);
    await fill(client);
    const { header, said, names } = await backUp([socket]);
    expect(header).toMatchObject({ how: "snapshot", servers: 1, dataVersion: 0 });
    expect(said).toEqual([]);
    expect(names).toHaveLength(7);
  });

  it("a backup without a snapshot says so, and leaves out users and tweets of the meantime", async () => {
    const { client, socket } = await server(cleanups, "--rename-command", "SYNC", "");
    await fill(client);
    const { header, said, names } = await backUp([socket]);
    expect(header).toMatchObject({ how: "walk", servers: 1 });
    expect(said).toEqual([expect.stringMatching(/^Redis gives no snapshot \(.*unknown command/)]);
    const known = [keys.userIds, keys.tweetIds, keys.tweet(tweetId(1))];
    expect(names.toSorted()).toEqual(
      [...known, keys.user(userId(1)), keys.user(userId(2))].toSorted(),
    );
  });

  it("a backup that is not of one moment has the counters as they are after all other keys", async () => {
    const { client, socket } = await server(cleanups);
    await fill(client);
    const { ctx } = await openAt(cleanups, socket);
    const { redis } = ctx;
    const walked = redis.pipeline.bind(redis);
    // An account and a tweet of the meantime: lists that are read later may name them.
    vi.spyOn(redis, "pipeline").mockImplementation(() => {
      const pipeline = walked();
      const read = pipeline.exec.bind(pipeline);
      pipeline.exec = async () => {
        const replies = await read();
        await client.mset(keys.userIds, 30, keys.tweetIds, 20, keys.appIds, 10);
        return replies;
      };
      return pipeline;
    });
    const file = join(await folder(cleanups), "site.backup");
    const options = { file, secret: "s", program: "0.1.0", how: "walk", say() {} } as const;
    await makeBackup(ctx, options);
    const to = await server(cleanups);
    await restoreBackup((await openAt(cleanups, to.socket)).ctx, await readFile(file));
    const counters = await to.client.mget(keys.userIds, keys.tweetIds, keys.appIds);
    expect(counters).toEqual(["30", "20", "10"]);
  });

  it.each(["snapshot", "walk"] as const)(
    "a site restored from a backup goes on with the indexing that was under way: %s",
    async (how) => {
      const [from, to] = [await server(cleanups), await server(cleanups)];
      await fill(from.client);
      const unindexed = "tweets 1";
      await from.client.hset(keys.siteData, { version: newest, unindexed });
      const { file } = await backUp([from.socket], how);
      await restoreBackup((await openAt(cleanups, to.socket)).ctx, await readFile(file));
      expect(await to.client.hgetall(keys.siteData)).toMatchObject({ unindexed, restoring: "" });
    },
  );

  it("a backup works over TLS and with a password", async () => {
    const [place] = await freePlaces(1);
    const port = place?.port ?? 0;
    const files = ["--tls-cert-file", pem("cert"), "--tls-key-file", pem("key")];
    const tls = ["--tls-port", port, ...files, "--tls-auth-clients", "no", "--bind", "127.0.0.1"];
    const { client } = await server(cleanups, ...tls);
    await fill(client);
    await client.config("SET", "requirepass", "sesame");
    const settings = { REDIS_TLS_UNVERIFIED: "true", LOG_LEVEL: "silent" };
    const REDIS_URL = `rediss://:sesame@127.0.0.1:${port}`;
    const opened = await open(parseConfig({ ...settings, REDIS_URL }));
    cleanups.push(() => opened.close());
    const file = join(await folder(cleanups), "site.backup");
    const options = { file, secret: undefined, program: "0.1.0", say() {} };
    expect(await makeBackup(opened.ctx, options)).toMatchObject({ how: "snapshot", servers: 1 });
  });

  it("a backup of no data, or of data being changed, is refused and leaves no file", async () => {
    const { client, socket } = await server(cleanups);
    const dir = await folder(cleanups);
    const opened = await openAt(cleanups, socket);
    const attempt = async () =>
      await makeBackup(opened.ctx, {
        file: join(dir, "site.backup"),
        secret: undefined,
        program: "0.1.0",
        say() {},
      });
    await expect(attempt()).rejects.toThrow("there is no data of Suzume in this Redis");
    await fill(client);
    await client.set(keys.siteLock, "a process");
    await expect(attempt()).rejects.toThrow("the data is being upgraded");
    await client.hset(keys.siteData, "restoring", "yes");
    await expect(attempt()).rejects.toThrow("a backup is being restored here");
    expect(await readdir(dir)).toEqual([]);
  });
});
