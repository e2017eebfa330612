import type { Redis } from "ioredis";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Header } from "../../src/backup/header.ts";
import { restoreBackup } from "../../src/backup/restore-backup.ts";
import { userId } from "../../src/domain/ids.ts";
import { migrate, newest } from "../../src/migrations/migrate.ts";
import { keys } from "../../src/redis/keys.ts";
import { primariesOf } from "../../src/redis/servers.ts";
import { startCluster } from "../support/world/cluster.ts";
import { type Cleanups, contents, openAt, server } from "./support.ts";

const cleanups: Cleanups = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const backup = { header: { dataVersion: newest } as Header, async *entries() {} };
const forbidFlush = (node: Redis) => node.call("ACL", "SETUSER", "default", "-flushdb");

describe("a restore that cannot delete what is there", () => {
  it("a refused deletion changes nothing, and the site starts", async () => {
    const { client, socket } = await server(cleanups);
    const { ctx } = await openAt(cleanups, socket);
    await client.set(keys.userIds, 1);
    await client.hset(keys.siteData, { version: newest, restoring: "" });
    const before = await contents(client);
    await forbidFlush(client);
    await expect(restoreBackup(ctx, backup, { overwrite: true })).rejects.toThrow("NOPERM");
    expect(await contents(client)).toEqual(before);
    await migrate(ctx);
    await client.hset(keys.siteData, "restoring", "yes");
    await expect(restoreBackup(ctx, backup, { overwrite: true })).rejects.toThrow("NOPERM");
    await expect(migrate(ctx)).rejects.toThrow("a backup is being restored here");
  });

  it("after a deletion without an answer no site starts", async () => {
    const { client, socket } = await server(cleanups);
    const { ctx } = await openAt(cleanups, socket);
    await client.hset(keys.siteData, "version", newest);
    vi.spyOn(ctx.redis as Redis, "flushdb").mockImplementationOnce(async () => {
      await client.flushdb();
      throw new Error("Connection is closed.");
    });
    await expect(restoreBackup(ctx, backup, { overwrite: true })).rejects.toThrow("is closed");
    await expect(migrate(ctx)).rejects.toThrow("a backup is being restored here");
    await restoreBackup(ctx, backup, { overwrite: true });
    await migrate(ctx);
  });

  it("after a deletion on a part of a cluster no site starts", async () => {
    const cluster = await startCluster();
    cleanups.push(() => cluster.stop());
    const { ctx } = await openAt(cleanups, ...cluster.urls);
    for (let id = 1; id <= 30; id += 1) await ctx.redis.hset(keys.user(userId(id)), "name", "bird");
    const [, second] = primariesOf(ctx.redis);
    if (second === undefined) throw new Error("no second node");
    await forbidFlush(second);
    await expect(restoreBackup(ctx, backup, { overwrite: true })).rejects.toThrow("NOPERM");
    await expect(migrate(ctx)).rejects.toThrow("a backup is being restored here");
  });
});
