import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Express } from "express";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseConfig } from "../../../src/config.ts";
import type { RedisClient } from "../../../src/redis/redis-client.ts";
import { createQueues, type Queues } from "../../../src/jobs/queue.ts";
import { connect, waitUntilReady } from "../../../src/redis/client.ts";
import type { Memory } from "../../../src/redis/memory.ts";
import { type PrivateServer, startPrivateServer } from "../../../src/redis/private-server.ts";
import { createApp } from "../../../src/web/app.ts";
import { expectSecureHeaders } from "../../support/inspect/secure-headers.ts";
import { cookiesIn } from "../../support/inspect/cookies.ts";
import { Visitor } from "../../support/actors/visitor.ts";
import { openMemory, appOptions } from "../../support/world/world.ts";

describe("a site without Redis", () => {
  const config = { ...parseConfig({}), bcryptCost: 4 };
  let dataDir: string;
  let server: PrivateServer;
  let redis: RedisClient;
  let queues: Queues;
  let memory: Memory;
  let app: Express;
  let person: Visitor;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "suzume-test-"));
    server = await startPrivateServer({ dataDir });
    redis = connect({ socket: server.socket }, "web", config, () => {});
    await waitUntilReady(redis, 5000);
    queues = createQueues(redis, () => {});
    const log = pino({ level: "silent" });
    memory = await openMemory(redis, config);
    app = createApp(
      { redis, memory, storage: undefined, jobs: queues, log, now: Date.now, config },
      appOptions,
    );
    person = new Visitor(app);
    await person.signUp("patient");
    await person.tweet("still here");
  });
  afterAll(async () => {
    await queues.close();
    redis.disconnect();
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  async function serverProcess(): Promise<number> {
    return Number(/^process_id:(\d+)/m.exec(await redis.info("server"))?.[1]);
  }

  /** No page for visitors is shown, and no request to log in. */
  async function expectUnavailable(path: string): Promise<void> {
    const began = performance.now();
    const answer = await person.get(path);
    expect([path, answer.status]).toEqual([path, 503]);
    // A deadline ends it after 2.5 s; without one it would hang for a minute. A busy machine takes some more.
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
    expect(answer.headers["cache-control"]).toBe("no-store");
    expect(answer.text).toContain("Back in a moment");
    expect(answer.text).not.toMatch(/Log in|Sign up|Redis|Error/);
    expect(cookiesIn(answer)).toEqual([]);
    expectSecureHeaders(answer);
  }

  // Log in comes first: it needs Redis for nothing but to know who asks.
  const pages = [
    "/login",
    "/login/code",
    "/prove",
    "/",
    "/explore",
    "/@patient",
    "/tweets/1",
    "/settings/profile",
  ];

  it("an absent Redis is reported within three seconds, and the site works again once it is back", async () => {
    const doomed = await serverProcess();
    // It must not be restarted yet.
    await server.stop();
    process.kill(doomed, "SIGKILL");
    for (let tries = 0; redis.status === "ready" && tries < 100; tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 20));
    for (const path of pages) await expectUnavailable(path);
    expect((await person.post("/tweets", { text: "lost?" })).status).toBe(503);
    expect((await person.post("/logout")).status).toBe(503);
    await person.get("/healthz").expect(200);
    await person.get("/readyz").expect(503);
    await person.get("/assets/app-ANYHASH0.css").expect(200);

    server = await startPrivateServer({ dataDir });
    expect(await waitUntilReady(redis, 5000)).toBe(true);
    expect(await person.see("/")).toMatchObject([{ text: "still here" }]);
    await person.get("/settings/profile").expect(200);
    await person.get("/readyz").expect(200);
  });

  it("a hanging Redis is reported as fast", async () => {
    const hanging = await serverProcess();
    process.kill(hanging, "SIGSTOP");
    try {
      // Until then, what is known is shown.
      while (memory.stats().tracking) await new Promise((resolve) => setTimeout(resolve, 20));
      await Promise.all(pages.map(expectUnavailable));
    } finally {
      process.kill(hanging, "SIGCONT");
    }
    // A connection that was silent for too long is given up, perhaps only now.
    while ((await person.get("/")).status !== 200)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await person.see("/")).toMatchObject([{ text: "still here" }]);
  });

  it("a full Redis still allows reading and logging out, refuses writes with a message, and guesses are counted", async () => {
    const leaver = new Visitor(app);
    await leaver.logIn("patient");
    await redis.config("SET", "maxmemory", "1");
    const writes = [
      await person.post("/tweets", { text: "no room" }),
      await person.post("/tweets/1/like"),
      await new Visitor(app).post("/login", { name: "patient", password: "wrong" }),
    ];
    const reads = await Promise.all(
      ["/explore", "/@patient", "/tweets/1", "/settings/profile"].map((path) => person.get(path)),
    );
    const goodbye = await leaver.post("/logout");
    await redis.config("SET", "maxmemory", "0");
    expect(writes.map((answer) => answer.status)).toEqual([503, 503, 422]);
    expect(reads.map((answer) => answer.status)).toEqual([200, 200, 200, 200]);
    expect(goodbye.status).toBe(303);
    await leaver.get("/settings/profile").expect(303);
    expect(await person.see("/")).toMatchObject([{ text: "still here" }]);
  });
});
