import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Express } from "express";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { boot, type Booted } from "../../src/boot.ts";
import { parseConfig } from "../../src/config.ts";
import { waitUntilReady } from "../../src/redis/client.ts";
import { createApp } from "../../src/web/app.ts";
import { launchRedis, type RedisServer } from "../support/world/redis-server.ts";
import { hiddenFields } from "../support/inspect/page.ts";
import { password, Visitor } from "../support/actors/visitor.ts";
import { appOptions } from "../support/world/world.ts";

describe("a form that met an outage", () => {
  let dir: string;
  let server: RedisServer;
  let site: Booted;
  let app: Express;
  let person: Visitor;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "suzume-test-"));
    const path = join(dir, "r.sock");
    server = launchRedis(["--port", 0, "--unixsocket", path, "--dir", dir]);
    const config = { ...parseConfig({ LOG_LEVEL: "silent" }), bcryptCost: 4 };
    site = await boot(config, { urls: [path] });
    app = createApp(site.ctx, appOptions(site.queues));
    person = new Visitor(app);
    await person.signUp("patient");
  });
  afterAll(async () => {
    server.thaw();
    await site.close();
    await server.kill();
    await rm(dir, { recursive: true, force: true });
  });

  const refuse = async (refuses: boolean) =>
    void (await site.ctx.redis.config("SET", "min-replicas-to-write", refuses ? 1 : 0));
  const texts = async () => (await person.see("/@patient")).map(({ text }) => text);

  it("is sent again from the page of the outage, with all that was typed, and counts once", async () => {
    const fields = { text: `5 < 6 & "so on"\n雀 </form>`, nonce: randomUUID() };
    await refuse(true);
    const { text: page } = await person.post("/tweets", fields).expect(503);
    await refuse(false);
    expect(page).toContain("What you sent is kept on this page");
    expect(hiddenFields(page, "/tweets")).toEqual(fields);
    for (let time = 0; time < 2; time += 1)
      await person.post("/tweets", hiddenFields(page, "/tweets")).expect(303);
    expect(await texts()).toHaveLength(1);
  });

  it("is kept where Redis cannot even say who sent it, in the reader's language", async () => {
    const fields = { text: "nothing answers", nonce: randomUUID() };
    server.freeze();
    const answer = await person.post("/tweets", fields).set("Accept-Language", "ja");
    const stray = await person.post("//elsewhere.example/tweets", fields);
    server.thaw();
    expect([answer.status, stray.status]).toEqual([503, 503]);
    expect(stray.text).not.toContain("elsewhere");
    expect(answer.text).toContain("送信した内容はこのページに残っています");
    expect(hiddenFields(answer.text, "/tweets")).toEqual(fields);
    expect(await waitUntilReady(site.ctx.redis, 5000)).toBe(true);
    await expect
      .poll(async () => (await person.post("/tweets", fields)).status, { timeout: 5000 })
      .toBe(303);
    expect(await texts()).toHaveLength(2);
  });

  it("is not kept if there is a password in it", async () => {
    await refuse(true);
    const logIn = await new Visitor(app).post("/login", { name: "patient", password });
    const change = { current_password: password, new_password: "a sparrow 17" };
    const changed = await person.post("/settings/account", change);
    await refuse(false);
    for (const { status, text } of [logIn, changed]) {
      expect([status, text.includes("Nothing is lost")]).toEqual([503, true]);
      expect(text).not.toMatch(/<form[^>]*action="\/(login|settings)|correct horse|a sparrow 17/);
    }
  });
});
