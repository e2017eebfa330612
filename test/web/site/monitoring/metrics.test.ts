import { Queue } from "bullmq";
import request from "supertest";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { tweetId } from "../../../../src/domain/ids.ts";
import { queuePrefix } from "../../../../src/jobs/queue.ts";
import { keys } from "../../../../src/redis/keys.ts";
import type { Reading } from "../../../../src/redis/memory.ts";
import { createWorld, type World } from "../../../support/world/world.ts";

describe("the metrics", () => {
  let world: World;
  beforeAll(async () => {
    // As on a platform whose router is the last proxy: its word about addresses counts.
    world = await createWorld({ trustProxy: 1 });
  });
  afterAll(() => world.close());

  async function metrics(): Promise<string> {
    const { text } = await request(world.app).get("/metrics").expect(200);
    return text;
  }

  /** The value of a series, labels in any order. */
  async function valueOf(name: string, labels: Record<string, string>): Promise<number> {
    const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
    const line = (await metrics())
      .split("\n")
      .find((one) => one.startsWith(`${name}{`) && wanted.every((label) => one.includes(label)));
    return Number(line?.split(" ").at(-1) ?? 0);
  }

  it("metrics have the process, requests and jobs in Prometheus format", async () => {
    const answer = await request(world.app).get("/metrics").expect(200);
    expect(answer.headers["content-type"]).toContain("text/plain");
    expect(answer.headers["content-type"]).toContain("version=");
    expect(answer.text).toContain("process_cpu_seconds_total");
    expect(answer.text).toContain("# TYPE suzume_http_seconds histogram");
    // Workers look for what waits when they start, which is a job.
    await vi.waitFor(async () => {
      const { text } = await request(world.app).get("/metrics").expect(200);
      for (const queue of ["deliver", "spread", "chores"])
        for (const state of ["waiting", "active", "delayed", "failed"])
          expect(text).toContain(`suzume_jobs{queue="${queue}",state="${state}"} 0`);
    }, 15_000);
  });

  it("metrics count every answer by method and status", async () => {
    const ok = { method: "GET", status: "200" };
    const refused = { method: "POST", status: "403" };
    const before = await valueOf("suzume_http_seconds_count", ok);
    await request(world.app).get("/explore").expect(200);
    await request(world.app).post("/tweets").set("Origin", "https://evil.example").expect(403);
    // Each look at the metrics counts as well.
    expect(await valueOf("suzume_http_seconds_count", ok)).toBe(before + 2);
    expect(await valueOf("suzume_http_seconds_count", refused)).toBe(1);
    expect(await valueOf("suzume_http_seconds_bucket", { ...refused, le: "+Inf" })).toBe(1);
    expect(await valueOf("suzume_http_seconds_sum", ok)).toBeGreaterThan(0);
  });

  // The memory forgets where Redis stands still for a second.
  it(
    "metrics show the size and hit rate of the memory, and whether Redis keeps it current",
    { retry: 3 },
    async () => {
      const reading: Reading<string, string> = { key: (id) => id, command: ["get"], parse: String };
      const { memory, redis } = world.ctx;
      const hits = await valueOf("suzume_memory_reads_total", { result: "hit" });
      const misses = await valueOf("suzume_memory_reads_total", { result: "miss" });
      await memory.settled();
      for (const id of ["one", "one", "two"]) await memory.read(redis, reading, [id]);
      expect(await valueOf("suzume_memory_reads_total", { result: "hit" })).toBe(hits + 1);
      expect(await valueOf("suzume_memory_reads_total", { result: "miss" })).toBe(misses + 2);
      const told = await metrics();
      expect(told).toMatch(/^suzume_memory_entries [1-9]/m);
      expect(told).toMatch(/^suzume_memory_bytes [1-9]\d\d/m);
      expect(told).toMatch(/^suzume_memory_tracking 1$/m);
    },
  );

  it("metrics count dead letters until they are replayed", async () => {
    const failed = { queue: "deliver", state: "failed" };
    const queue = new Queue("deliver", { connection: world.ctx.redis, prefix: queuePrefix });
    const poison = tweetId(1_000_000);
    await world.ctx.redis.set(keys.tweet(poison), "no hash");
    const job = await queue.add("deliver", { tweet: poison });
    await queue.add("deliver", { tweet: poison });
    await world.delivered();
    expect(await valueOf("suzume_jobs", failed)).toBe(2);
    await world.ctx.redis.del(keys.tweet(poison));
    await job.retry();
    await world.delivered();
    expect(await valueOf("suzume_jobs", failed)).toBe(1);
    await queue.close();
  });

  it("metrics are hidden from outside clients", async () => {
    for (const headers of [
      { "X-Forwarded-For": "203.0.113.7" },
      { "X-Forwarded-For": "127.0.0.1" },
      { "X-Forwarded-For": "" },
      { Forwarded: "for=203.0.113.7" },
    ]) {
      const { text } = await request(world.app).get("/metrics").set(headers).expect(404);
      expect(text).not.toContain("suzume_jobs");
    }
    await request(world.app).get("/metrics").expect(200);
  });

  it("metrics need a token in production, as a proxy may forward any client", async () => {
    const site = await createWorld({ production: true }, { workers: false });
    await request(site.app).get("/metrics").expect(404);
    await site.close();
  });

  it("metrics are shown to clients with the token, anywhere", async () => {
    const metricsToken = "a token of some length";
    const site = await createWorld({ production: true, metricsToken }, { workers: false });
    const ask = (authorization: string) =>
      request(site.app).get("/metrics").set("Authorization", authorization);
    await ask(`Bearer ${metricsToken}`).set("X-Forwarded-For", "203.0.113.7").expect(200);
    for (const wrong of [
      "",
      "Bearer ",
      `Bearer ${metricsToken}x`,
      metricsToken,
      "Bearer undefined",
    ])
      await ask(wrong).expect(404);
    await request(site.app).get("/metrics").expect(404);
    await site.close();
  });
});
