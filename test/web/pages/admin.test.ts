import { Queue } from "bullmq";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { waitUntilReady } from "../../../src/redis/client.ts";
import { queuePrefix } from "../../../src/jobs/queue.ts";
import { createApp } from "../../../src/web/app.ts";
import { Visitor } from "../../support/actors/visitor.ts";
import {
  appOptions,
  connectToTestRedis,
  createWorld,
  type World,
} from "../../support/world/world.ts";

const api = "/admin/queues/api/queues";
/** The pages about the queues, by all the names that might lead there. */
const doors = [
  "/admin",
  "/admin/",
  "/admin/queues",
  "/admin/queues/",
  "/ADMIN/Queues",
  "/admin/%71ueues",
  "/admin/queues/queue/deliver",
  "/admin/queues/queue/deliver/tweet-1",
  "/admin/queues/static/css/",
  api,
  `${api}/deliver/tweet-1`,
  "/admin/queues/api/redis/stats",
];

describe("queue pages", () => {
  let world: World;
  let boss: Visitor;
  let visitor: Visitor;
  beforeAll(async () => {
    world = await createWorld({ admins: ["boss"] }, { workers: false });
    boss = await world.newcomer("Boss");
    visitor = await world.newcomer("bossy");
  });
  afterAll(() => world.close());

  it("queue pages lead signed-out visitors to the log-in and back", async () => {
    for (const path of doors) {
      const { status, headers } = await world.visitor().get(path);
      const login = `/login?next=${encodeURIComponent(path)}`;
      expect([path, status, headers["location"]]).toEqual([path, 303, login]);
    }
    await world.visitor().agent.put(`${api}/deliver/pause`).expect(303);
  });

  it("queue pages are forbidden to users who are not admins", async () => {
    for (const path of doors) expect([path, (await visitor.get(path)).status]).toEqual([path, 403]);
    for (const method of ["put", "post", "patch", "delete"] as const)
      await visitor.agent[method](`${api}/deliver/pause`).expect(403);
    await visitor.agent.put(`${api}/deliver/obliterate`).expect(403);
    const { text } = await visitor.get(api);
    expect(text).not.toContain("deliver");
  });

  it("queue pages are forbidden to all where there are no admins", async () => {
    const config = { ...world.ctx.config, admins: [] };
    const stranger = new Visitor(createApp({ ...world.ctx, config }, appOptions(world.queues)));
    await stranger.logIn("Boss");
    await stranger.get("/admin/queues").expect(403);
    await stranger.get(api).expect(403);
  });

  it("queue pages are shown to an admin, with a policy that allows just what they need", async () => {
    const page = await boss.get("/admin/queues").expect(200).expect("Content-Type", /html/);
    expect(page.text).toContain("Suzume");
    expect(page.text).toContain('<base href="/admin/queues/"');
    expect(page.text).toMatch(/<a href="\/admin"[^>]*>← Back to moderation<\/a><div id="root">/);
    const policy = String(page.headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(page.headers["x-powered-by"]).toBeUndefined();
    expect(page.headers["x-content-type-options"]).toBe("nosniff");
    const scripts = [...page.text.matchAll(/<script(?![^>]*type="application\/json")[^>]*>/g)];
    expect(scripts.length).toBeGreaterThan(0);
    for (const [tag] of scripts) expect(tag).toMatch(/ src="static\/[^"]+"/);
    const files = [...page.text.matchAll(/(?:src|href)="(static\/[^"]+)"/g)];
    expect(files.length).toBeGreaterThan(2);
    for (const [, file] of files) await boss.get(`/admin/queues/${file}`).expect(200);
    expect(page.text).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    const home = await boss.get("/").expect(200);
    expect(home.headers["content-security-policy"]).not.toContain("unsafe-inline");
  });

  it("queue pages list every queue with its jobs", async () => {
    const queue = new Queue("deliver", { connection: world.ctx.redis, prefix: queuePrefix });
    await queue.add("deliver", { tweet: "1" }, { jobId: "tweet-1" });
    const { body } = await boss.get(api).expect(200);
    const { queues } = body as { queues: { name: string; counts: Record<string, number> }[] };
    expect(queues.map(({ name }) => name).toSorted()).toEqual([
      "accounts",
      "chores",
      "deliver",
      "mails",
      "pictures",
      "pushes",
      "spread",
    ]);
    const counts = queues.find(({ name }) => name === "deliver")?.counts;
    expect(counts).toMatchObject({ waiting: 1, active: 0, failed: 0 });
    await boss.get(`${api}/deliver/tweet-1`).expect(200);
    await queue.obliterate();
    await queue.close();
  });

  it("queue pages refuse requests from other sites", async () => {
    for (const headers of [
      { "Sec-Fetch-Site": "cross-site" },
      { "Sec-Fetch-Site": "same-site" },
      { Origin: "https://evil.example" },
      { Origin: "null" },
    ])
      for (const method of ["put", "post", "patch"] as const)
        await boss.agent[method](`${api}/deliver/pause`).set(headers).expect(403);
    const queue = new Queue("deliver", { connection: world.ctx.redis, prefix: queuePrefix });
    expect(await queue.isPaused()).toBe(false);
    await boss.agent.put(`${api}/deliver/pause`).set("Sec-Fetch-Site", "same-origin").expect(200);
    expect(await queue.isPaused()).toBe(true);
    await boss.agent.put(`${api}/deliver/resume`).expect(200);
    expect(await queue.isPaused()).toBe(false);
    await queue.close();
  });

  it("queue pages change nothing when they are visited", async () => {
    for (const action of ["pause", "empty", "obliterate", "promote", "retry/failed"])
      expect((await boss.get(`${api}/deliver/${action}`)).status).toBe(404);
  });

  it("queue pages answer missing paths like the rest of the site", async () => {
    const { text } = await boss.get("/admin/nothing").expect(404);
    expect(text).toContain("Suzume");
    expect((await boss.get("/admin/queues/nothing")).status).toBe(404);
  });

  it("queue pages are gone for an admin who logs out", async () => {
    const session = await world.newcomer("another");
    await session.logIn("Boss");
    await session.get("/admin/queues").expect(200);
    await session.post("/logout").expect(303);
    await session.get("/admin/queues").expect(303);
    await session.get(api).expect(303);
  });
});

describe("a proxy that is not trusted", () => {
  let world: World;
  const warning = "TRUST_PROXY is not set";
  const admin = async (settings: object) => {
    world = await createWorld({ admins: ["boss"], ...settings }, { workers: false });
    return await world.newcomer("boss");
  };
  afterEach(() => world.close());

  it("the admin's page says that X-Forwarded-For arrives at any process while TRUST_PROXY is not set", async () => {
    const boss = await admin({ trustProxy: undefined });
    expect((await boss.get("/admin").expect(200)).text).not.toContain(warning);
    const elsewhere = connectToTestRedis("web", world.ctx.config);
    await waitUntilReady(elsewhere, 5000);
    const there = createApp({ ...world.ctx, redis: elsewhere }, appOptions(world.queues));
    await forwarded(new Visitor(there));
    await expect.poll(async () => (await boss.get("/admin")).text).toContain(warning);
    const ttl = await world.ctx.redis.ttl("site:untrusted-proxy");
    expect(ttl).toBeGreaterThan(0);
    expect(ttl).toBeLessThanOrEqual(3600);
    elsewhere.disconnect();
  });

  it("the admin's page does not warn of a proxy where TRUST_PROXY says how many there are, or none", async () => {
    const boss = await admin({ trustProxy: false });
    await forwarded(world.visitor());
    expect((await boss.get("/admin").expect(200)).text).not.toContain(warning);
    expect(await world.ctx.redis.exists("site:untrusted-proxy")).toBe(0);
  });
});

function forwarded(visitor: Visitor) {
  return visitor.get("/explore").set("X-Forwarded-For", "192.0.2.1").expect(200);
}
