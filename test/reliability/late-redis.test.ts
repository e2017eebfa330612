import { setTimeout as sleep } from "node:timers/promises";
import type { Express } from "express";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { boot, type Booted } from "../../src/boot.ts";
import { parseConfig } from "../../src/config.ts";
import { createApp } from "../../src/web/app.ts";
import { faultyNetwork, type FaultyNetwork } from "../support/world/faulty-network.ts";
import { launchOnSocket, type SocketServer } from "../support/world/redis-server.ts";
import { cookiesIn, sessionCookie } from "../support/inspect/cookies.ts";
import { sendSlowly, serve } from "../support/world/serve.ts";
import { Visitor } from "../support/actors/visitor.ts";
import { appOptions } from "../support/world/world.ts";

/** A loaded machine may take twice as long as the promise, never three times. */
const config = { ...parseConfig({ LOG_LEVEL: "silent" }), bcryptCost: 9 };
const bound = 6000;

describe("a late or silent Redis (R7)", () => {
  let server: SocketServer;
  let network: FaultyNetwork;
  let site: Booted;
  let app: Express;
  let person: Visitor;
  let cookie: string;
  beforeAll(async () => {
    server = await launchOnSocket();
    network = await faultyNetwork({ path: server.path });
    site = await boot(config, { urls: [`redis://127.0.0.1:${network.port}`] });
    app = createApp(site.ctx, appOptions);
    person = new Visitor(app);
    cookie = sessionCookie(await person.signUp("patient"));
    await person.tweet("still here");
  });
  afterAll(async () => {
    await site.close();
    await network.close();
    await server.kill();
  });

  /** All at once, from people who are signed in and who are not. */
  async function everything() {
    const stranger = new Visitor(app);
    const login = { name: "patient", password: "wrong password" };
    const questions = {
      home: () => person.get("/"),
      profile: () => person.get("/@patient"),
      thread: () => person.get("/tweets/1"),
      notifications: () => person.get("/notifications"),
      search: () => stranger.get("/search?q=here"),
      feed: () => stranger.get("/@patient/feed.xml"),
      export: () => person.get("/settings/data/export.jsonl"),
      api: () => stranger.get("/api/v1/timelines/public"),
      post: () => person.post("/tweets", { text: "perhaps" }),
      logins: async () =>
        (await Promise.all(Array.from({ length: 20 }, () => stranger.post("/login", login))))[19],
      metrics: () => stranger.get("/metrics"),
    };
    return await Promise.all(
      Object.entries(questions).map(async ([name, ask]) => {
        const began = performance.now();
        const answer = await ask();
        const took = performance.now() - began;
        return { name, status: answer?.status ?? 0, took, answer };
      }),
    );
  }

  it("a late or silent Redis keeps no request waiting (R7)", async () => {
    network.delay(1000);
    const late = await everything();
    network.delay(0);
    expect(late.filter(({ took }) => took > bound)).toEqual([]);
    expect(late.filter(({ status }) => status >= 500 && status !== 503)).toEqual([]);
    const outage = late.find(({ name }) => name === "home")?.answer;
    expect(outage?.status).toBe(503);
    expect(outage?.headers["retry-after"]).toBe("5");
    expect(outage?.headers["content-security-policy"]).toContain("default-src 'none'");
    expect(outage?.text).toContain("Back in a moment");
    expect(outage && cookiesIn(outage)).toEqual([]);
    // What was on its way comes to nothing, and does not harm what is asked next.
    await sleep(2500);
    expect((await person.get("/")).status).toBe(200);

    network.delay(2300);
    // Until the memory is no longer trusted.
    await sleep(2000);
    const hasty = createApp(
      { ...site.ctx, config: { ...config, answerMilliseconds: 300 } },
      appOptions,
    );
    const began = performance.now();
    const login = { name: "patient", password: "wrong password" };
    expect((await new Visitor(hasty).post("/login", login)).status).toBe(503);
    // Nothing that comes before this time waits for Redis.
    expect(performance.now() - began).toBeLessThan(1500);
    network.delay(0);

    network.silence(true);
    const silent = await everything();
    network.silence(false);
    expect(silent.filter(({ took }) => took > bound)).toEqual([]);
    expect(silent.filter(({ status }) => status === 500)).toEqual([]);
    expect(JSON.parse(silent.find(({ name }) => name === "api")?.answer?.text ?? "{}")).toEqual({
      error: "The site cannot reach its data just now",
    });
    while ((await person.get("/")).status !== 200) await sleep(100);
  });

  it("the deadline does not count the time a client takes to send a form", async () => {
    const listening = await serve(app);
    const form = await sendSlowly(listening.port, {
      path: "/tweets",
      cookie,
      body: "text=slowly&nonce=0123456789abcdef0123456789abcdef",
    });
    await sleep(config.answerMilliseconds + 500);
    expect(await form.finish()).toMatch(/^HTTP\/1\.1 (303|422)/);
    await listening.close();
  });
});
