import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Express } from "express";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readFile } from "../../src/backup/read-file.ts";
import { restoreBackup } from "../../src/backup/restore-backup.ts";
import { boot, type Booted } from "../../src/boot.ts";
import { parseConfig } from "../../src/config.ts";
import { userId } from "../../src/domain/ids.ts";
import { isIndexing } from "../../src/domain/search/index-older.ts";
import { examine } from "../../src/doctor/examine.ts";
import { newest } from "../../src/migrations/migrate.ts";
import { keys } from "../../src/redis/keys.ts";
import { createApp } from "../../src/web/app.ts";
import { type Cleanups, openAt, server } from "../backup/support.ts";
import { Visitor } from "../support/actors/visitor.ts";
import { avatarOn } from "../support/inspect/page.ts";
import { finishJobs } from "../support/world/doctor.ts";
import { appOptions } from "../support/world/world.ts";

const texts = async (visitor: Visitor, path: string) =>
  (await visitor.readAll(path)).map(({ text }) => text);

/** An app's token from that site. */
const token = "1.Qps_jG2BdWrXOgt8dRJbRfYmTLft6gQFnfFsLm7J99o";

/**
 * Made by the forms and the API of the program of commit f63f771, before data had a version: three users with
 * pictures, follows, tweets, replies, likes, retweets, a bookmark, a pinned tweet, notifications, mutes, a block,
 * reports, a suspended user, a deleted tweet, a deleted account, an app.
 */
describe("a site of f63f771", () => {
  const cleanups: Cleanups = [];
  let booted: Booted;
  let app: Express;
  beforeAll(async () => {
    const { socket } = await server(cleanups);
    const opened = await openAt(cleanups, socket);
    const backup = await readFile(fileURLToPath(new URL("f63f771.backup", import.meta.url)));
    expect(backup.header.dataVersion).toBe(0);
    // As if it had been made just now: nothing has expired.
    const age = Date.now() - Date.parse(backup.header.madeAt);
    await restoreBackup(opened.ctx, {
      header: backup.header,
      async *entries() {
        for await (const entry of backup.entries())
          yield { ...entry, expiresAt: entry.expiresAt && entry.expiresAt + age };
      },
    });
    const config = { ...parseConfig({ LOG_LEVEL: "silent" }), answerMilliseconds: 20_000 };
    booted = await boot({ ...config, admins: ["ann"] }, { urls: [socket] });
    cleanups.push(() => booted.close());
    booted.work();
    // Its tweets are indexed by a job, see migration 2.
    while (await isIndexing(booted.ctx)) await sleep(20);
    await finishJobs(booted);
    app = createApp(booted.ctx, { ...appOptions, redis: booted.redis });
  });
  afterAll(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  async function signedIn(name: string): Promise<Visitor> {
    const visitor = new Visitor(app);
    await visitor.logIn(name);
    return visitor;
  }

  it("an upgraded site has the newest version, and the doctor finds nothing", async () => {
    expect(await booted.ctx.redis.hget(keys.siteData, "version")).toBe(String(newest));
    const ann = await booted.ctx.redis.hgetall(keys.user(userId(1)));
    expect(ann["name"]).toBe("Ann");
    for (const retired of ["version", "notified"]) expect(ann).not.toHaveProperty(retired);
    const options = { repair: false, minAge: 0, pause: 0, progress() {} };
    expect((await examine(booted.ctx, booted.queues, options)).findings).toEqual([]);
  });

  it("users of an upgraded site sign in and see their home to the first tweet", async () => {
    const ann = await signedIn("ann");
    const home = await texts(ann, "/");
    for (let nth = 1; nth <= 30; nth += 1) expect(home).toContain(`tweet ${nth} of ben #count`);
    expect(home).toContain("今日は雀が軒先で鳴いています。");
    expect(home).not.toContain("This will be deleted");
    expect(home).not.toContain("I shall be gone");
    expect(await texts(await signedIn("cid"), "/")).toContain("今日は雀が軒先で鳴いています。");
  });

  it("an upgraded site shows profiles, pictures, replies, likes and the pinned tweet", async () => {
    const cid = await signedIn("cid");
    const { text } = await cid.get("/@ann").expect(200);
    expect(text).toContain("Ann 雀 Sparrow");
    expect(text).toContain("https://example.org/");
    const picture = await cid.get(avatarOn(text)).expect(200);
    expect(picture.headers["content-type"]).toBe("image/webp");
    const [pinned] = await cid.see("/@ann");
    expect(pinned?.text).toBe("今日は雀が軒先で鳴いています。");
    expect(await texts(cid, `/tweets/${pinned?.id ?? ""}`)).toContain("An answer to it");
    expect(await texts(cid, "/@ben/likes")).toContain("今日は雀が軒先で鳴いています。");
    expect(await texts(cid, "/@ann/likes")).toContain("tweet 30 of ben #count");
    expect((await cid.get("/@ann/followers").expect(200)).text).toContain("@cid");
  });

  it("an upgraded site keeps notifications, searches, muted words and languages", async () => {
    const ann = await signedIn("ann");
    const { text } = await ann.get("/notifications").expect(200);
    for (const actor of ["@ben", "An answer to it"]) expect(text).toContain(actor);
    expect(await texts(ann, `/search?q=${encodeURIComponent("軒先")}`)).toContain(
      "今日は雀が軒先で鳴いています。",
    );
    for (const q of ["軒", "鳴", "すずめ 軒先"])
      expect([q, (await texts(ann, `/search?q=${encodeURIComponent(q)}`)).length]).toEqual([
        q,
        q.startsWith("す") ? 0 : 1,
      ]);
    expect(await texts(ann, "/search?q=tweets")).toContain("tweet 30 of ben #count");
    expect(await texts(ann, "/tags/birds")).toHaveLength(1);
    expect((await ann.get("/settings/muted").expect(200)).text).toContain("lottery");
    expect((await (await signedIn("ben")).get("/").expect(200)).text).toContain('lang="ja"');
  });

  it("an upgraded site keeps reports, suspensions and deletions", async () => {
    const ann = await signedIn("ann");
    const { text } = await ann.get("/admin/reports").expect(200);
    expect(text).toContain("It is spam");
    await new Visitor(app).get("/@villain").expect(404);
    await new Visitor(app).get("/@leaver").expect(404);
    const login = { name: "leaver", password: "correct horse 42" };
    await new Visitor(app).post("/login", login).expect(422);
  });

  it("apps of an upgraded site keep their tokens", async () => {
    const stranger = new Visitor(app);
    const read = (path: string) => stranger.get(path).set("Authorization", `Bearer ${token}`);
    const account = await read("/api/v1/accounts/verify_credentials").expect(200);
    expect(account.body).toMatchObject({ username: "Ann" });
    const bookmarks = await read("/api/v1/bookmarks").expect(200);
    expect(bookmarks.body).toHaveLength(1);
  });
});
