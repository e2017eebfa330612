import { setTimeout as sleep } from "node:timers/promises";
import type { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Entry } from "../../src/backup/bytes.ts";
import type { Header } from "../../src/backup/header.ts";
import { restoreBackup } from "../../src/backup/restore-backup.ts";
import { parseConfig } from "../../src/config.ts";
import { userId } from "../../src/domain/ids.ts";
import { newest } from "../../src/migrations/migrate.ts";
import type { Opened } from "../../src/open.ts";
import { connect, waitUntilReady } from "../../src/redis/client.ts";
import { keys } from "../../src/redis/keys.ts";
import { type Cleanups, contents, openAt, server } from "./support.ts";

const cleanups: Cleanups = [];
let client: Redis;
let socket: string;
let opened: Opened;
beforeEach(async () => {
  ({ client, socket } = await server(cleanups));
  opened = await openAt(cleanups, socket);
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** A backup that is made up; its values are made by a real Redis. */
async function backupOf(
  values: Record<string, { text: string; expiresAt?: number }>,
  dataVersion = newest,
): Promise<{ header: Header; entries(): AsyncGenerator<Entry> }> {
  const entries: Entry[] = [];
  for (const [key, { text, expiresAt = 0 }] of Object.entries(values)) {
    await client.set("made", text);
    const value = (await client.dumpBuffer("made")) ?? Buffer.alloc(0);
    entries.push({ key: Buffer.from(key), expiresAt, value });
    await client.del("made");
  }
  const header = { dataVersion } as Header;
  return {
    header,
    async *entries() {
      yield* entries;
    },
  };
}

const hour = 3_600_000;

describe("restoring a backup", () => {
  it("a restore writes every key with its expiry, but no expired one", async () => {
    const end = Date.now() + hour;
    const backup = await backupOf({
      [keys.userIds]: { text: "7" },
      lives: { text: "a while", expiresAt: end },
      over: { text: "expired", expiresAt: Date.now() - hour },
    });
    await restoreBackup(opened.ctx, backup);
    expect(await client.get(keys.userIds)).toBe("7");
    expect(await client.get("lives")).toBe("a while");
    expect(Number(await client.call("PEXPIRETIME", "lives"))).toBe(end);
    expect(await client.exists("over")).toBe(0);
    expect(await client.hget(keys.siteData, "version")).toBe(String(newest));
    expect(await client.exists(keys.siteLock)).toBe(0);
  });

  it("a restore replaces what a site without users left behind", async () => {
    await client.hset(keys.siteData, "version", newest);
    await client.hset(`${keys.queuePrefix}:deliver:meta`, "version", "bullmq");
    await restoreBackup(opened.ctx, await backupOf({ [keys.userIds]: { text: "7" } }));
    expect(await client.get(keys.userIds)).toBe("7");
  });

  it("a restore replaces data only with overwrite", async () => {
    await client.hset(keys.user(userId(1)), "name", "bird");
    await client.set("foreign", "is not Suzume's");
    const before = await contents(client);
    const backup = await backupOf({ [keys.userIds]: { text: "7" } });
    await expect(restoreBackup(opened.ctx, backup)).rejects.toThrow(
      "there is data in this Redis already. To replace all of it: npm run restore -- FILE --overwrite",
    );
    expect(await contents(client)).toEqual(before);
    await restoreBackup(opened.ctx, backup, { overwrite: true });
    expect((await client.keys("*")).toSorted()).toEqual([keys.siteData, keys.userIds].toSorted());
  });

  it("a restore is refused while the site runs, with overwrite too", async () => {
    const config = parseConfig({ LOG_LEVEL: "silent" });
    for (const profile of ["web", "worker"] as const) {
      const site = connect({ socket }, profile, config, () => {});
      await waitUntilReady(site, 5000);
      const attempt = restoreBackup(opened.ctx, await backupOf({}), { overwrite: true });
      await expect(attempt).rejects.toThrow("the site runs: stop its web and worker processes");
      site.disconnect();
      while (String(await client.client("LIST")).includes(`name=suzume-${profile}`)) await sleep(5);
    }
    await restoreBackup(opened.ctx, await backupOf({}));
  });

  it("a restore of a newer program's backup is refused", async () => {
    const backup = await backupOf({ [keys.userIds]: { text: "7" } }, newest + 1);
    await expect(restoreBackup(opened.ctx, backup)).rejects.toThrow("made by a newer Suzume");
    expect(await client.exists(keys.userIds)).toBe(0);
  });

  it("a restore of an older program's backup upgrades the data", async () => {
    const backup = await backupOf(
      { [keys.userIds]: { text: "7" }, "tweets:deleted": { text: "x" } },
      0,
    );
    await restoreBackup(opened.ctx, backup);
    expect(await client.exists("tweets:deleted")).toBe(0);
    expect(await client.hget(keys.siteData, "version")).toBe(String(newest));
  });

  it("an interrupted restore keeps sites from starting, and may be repeated", async () => {
    const backup = await backupOf({ [keys.userIds]: { text: "7" }, lost: { text: "and found" } });
    const cut = {
      ...backup,
      async *entries(): AsyncGenerator<Entry> {
        for await (const entry of backup.entries()) {
          if (entry.key.toString() === "lost") throw new Error("the disk failed");
          yield entry;
        }
      },
    };
    await expect(restoreBackup(opened.ctx, cut)).rejects.toThrow("the disk failed");
    expect(await client.hget(keys.siteData, "restoring")).toBe("yes");
    await expect(restoreBackup(opened.ctx, backup)).rejects.toThrow("--overwrite");
    await restoreBackup(opened.ctx, backup, { overwrite: true });
    expect(await client.get("lost")).toBe("and found");
    expect(await client.hget(keys.siteData, "restoring")).toBe("");
  });
});
