import { Queue } from "bullmq";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { waitUntilReady } from "../../../../src/redis/client.ts";
import { queuePrefix } from "../../../../src/jobs/queue.ts";
import { tweetId } from "../../../../src/domain/ids.ts";
import { keys } from "../../../../src/redis/keys.ts";
import { createApp } from "../../../../src/web/app.ts";
import { password, Visitor } from "../../../support/actors/visitor.ts";
import {
  appOptions,
  connectToTestRedis,
  createWorld,
  type World,
} from "../../../support/world/world.ts";

/** The pages about the queues, by all the names that might lead there. */
const doors = [
  "/admin",
  "/admin/",
  "/admin/queues",
  "/admin/queues/",
  "/ADMIN/Queues",
  "/admin/%71ueues",
  "/admin/queues/deliver",
  "/admin/queues/deliver?start=20",
];
const deliver = "/admin/queues/deliver";

describe("queue pages", () => {
  let world: World;
  let boss: Visitor;
  let visitor: Visitor;
  let queue: Queue;
  let poison = 1_000_000;
  beforeAll(async () => {
    world = await createWorld({ admins: ["boss"] });
    boss = await world.newcomer("Boss");
    visitor = await world.newcomer("bossy");
    queue = new Queue("deliver", { connection: world.ctx.redis, prefix: queuePrefix });
  });
  afterAll(async () => {
    await queue.close();
    await world.close();
  });

  /** The delivery of something that is no tweet, which gives up soon. */
  const failForGood = async (): Promise<{ key: string; id: string }> => {
    const tweet = tweetId((poison += 1));
    await world.ctx.redis.set(keys.tweet(tweet), "no hash");
    const opts = { attempts: 2, backoff: { type: "fixed", delay: 10 }, removeOnFail: false };
    const job = await queue.add("deliver", { tweet }, { ...opts, jobId: `tweet-${tweet}` });
    await expect.poll(() => job.getState(), { timeout: 10_000 }).toBe("failed");
    return { key: keys.tweet(tweet), id: job.id ?? "" };
  };
  const failedIds = async () => (await queue.getFailed()).map(({ id }) => id);

  it("queue pages lead signed-out visitors to the log-in and back", async () => {
    for (const path of doors) {
      const { status, headers } = await world.visitor().get(path);
      const login = `/login?next=${encodeURIComponent(path)}`;
      expect([path, status, headers["location"]]).toEqual([path, 303, login]);
    }
    await world.visitor().post(deliver, { verb: "retryAll" }).expect(303);
  });

  it("queue pages are forbidden to users who are not admins", async () => {
    for (const path of doors) expect([path, (await visitor.get(path)).status]).toEqual([path, 403]);
    await visitor.post(deliver, { verb: "retryAll" }).expect(403);
    await visitor.post(deliver, { verb: "drop", job: "1" }).expect(403);
  });

  it("queue pages are forbidden to all where there are no admins", async () => {
    const config = { ...world.ctx.config, admins: [] };
    const stranger = new Visitor(createApp({ ...world.ctx, config }, appOptions));
    await stranger.logIn("Boss");
    await stranger.get("/admin/queues").expect(403);
  });

  it("queue pages list every queue with its jobs, and answer other names like the rest of the site", async () => {
    const { text } = await boss.get("/admin/queues").expect(200);
    const links = [...text.matchAll(/href="\/admin\/queues\/(\w+)"/g)].map(([, name = ""]) => name);
    expect(new Set(links)).toEqual(
      new Set([
        "accounts",
        "chores",
        "deliver",
        "fetches",
        "mails",
        "pictures",
        "pushes",
        "spread",
      ]),
    );
    expect((await boss.get(deliver).expect(200)).text).toContain("No job of this queue has failed");
    for (const path of ["/admin/queues/nothing", "/admin/queues/deliver/1", "/admin/nothing"])
      expect((await boss.get(path).expect(404)).text).toContain("Suzume");
    await boss.post("/admin/queues/nothing", { verb: "retryAll" }).expect(404);
  });

  it("an admin sees why a job failed, and tries it again", async () => {
    const { key, id } = await failForGood();
    const { text } = await boss.get(deliver).expect(200);
    expect(text).toContain("WRONGTYPE");
    expect(text).toContain("tried 2 times");
    await world.ctx.redis.del(key);
    const back = await boss.post(deliver, { ...formOf(text, id), verb: "retry" }).expect(303);
    expect((await boss.get(back.headers["location"] ?? "")).text).toContain("It is tried again.");
    await expect.poll(failedIds).toEqual([]);
    await expect.poll(async () => (await queue.getJob(id))?.getState()).toBe("completed");
    const log = (await boss.get("/admin/audit").expect(200)).text;
    expect(log).toMatch(/@Boss<\/a> tried failed jobs again/);
    expect(log).toContain(`deliver · deliver · tweet ${id.replace("tweet-", "")}`);
    // The same form again finds nothing to do.
    await boss.post(deliver, { ...formOf(text, id), verb: "retry" }).expect(303);
  });

  it("an admin tries all jobs of a queue again, and deletes one", async () => {
    const jobs = [await failForGood(), await failForGood()];
    const { text } = await boss.get(deliver).expect(200);
    const [{ id: dropped } = { id: "" }, { key: repaired } = { key: "" }] = jobs;
    await boss.post(deliver, { ...formOf(text, dropped), verb: "drop" }).expect(303);
    expect(await queue.getJob(dropped)).toBeUndefined();
    expect((await boss.get("/admin/audit")).text).toMatch(/@Boss<\/a> deleted a failed job/);
    await world.ctx.redis.del(repaired);
    await boss.post(deliver, { ...formOf(text), verb: "retryAll" }).expect(303);
    await expect.poll(failedIds).toEqual([]);
  });

  it("failed jobs stand on pages, the newest first", async () => {
    const all: string[] = [];
    for (let nth = 0; nth < 21; nth += 1) all.unshift((await failForGood()).id);
    const { text } = await boss.get(deliver).expect(200);
    expect(idsOn(text)).toEqual(all.slice(0, 20));
    expect(text).toContain('href="/admin/queues/deliver?start=20"');
    expect(idsOn((await boss.get(`${deliver}?start=20`).expect(200)).text)).toEqual(all.slice(20));
    await boss.get(`${deliver}?start=-1`).expect(200);
    for (const job of await queue.getFailed()) await job.remove();
  });

  it("a job that has not failed cannot be deleted, and what is typed is checked", async () => {
    const delay = 3_600_000;
    const { id = "" } = await queue.add("deliver", { tweet: tweetId(1) }, { delay });
    await boss.post(deliver, { job: id, verb: "drop" }).expect(303);
    expect(await (await queue.getJob(id))?.getState()).toBe("delayed");
    await boss.post(deliver, { job: id, verb: "obliterate" }).expect(422);
    await (await queue.getJob(id))?.remove();
  });

  it("failed jobs are changed only after a proof of identity, by a form of this site", async () => {
    const { id } = await failForGood();
    const { text } = await boss.get(deliver).expect(200);
    const form = { ...formOf(text, id), verb: "drop" };
    for (const headers of [{ "Sec-Fetch-Site": "cross-site" }, { Origin: "https://evil.example" }])
      await boss.post(deliver, form).set(headers).expect(403);
    world.pass(11 * 60_000);
    const question = await boss.post(deliver, form).expect(403);
    expect(question.text).toContain("confirm_password");
    expect(await failedIds()).toEqual([id]);
    await boss.post(deliver, { ...form, confirm_password: "not it" }).expect(422);
    expect(await failedIds()).toEqual([id]);
    await boss.post(deliver, { ...form, confirm_password: password }).expect(303);
    expect(await failedIds()).toEqual([]);
  });

  it("queue pages are gone for an admin who logs out", async () => {
    const session = await world.newcomer("another");
    await session.logIn("Boss");
    await session.get("/admin/queues").expect(200);
    await session.post("/logout").expect(303);
    await session.get("/admin/queues").expect(303);
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
    const there = createApp({ ...world.ctx, redis: elsewhere }, appOptions);
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

/** The fields of the form beside a job; without a job of the form for all. */
function formOf(page: string, job = "") {
  const [, nonce = ""] =
    new RegExp(`name="job" value="${job}"[^]*?name="nonce" value="([^"]+)"`).exec(page) ?? [];
  expect(nonce).not.toBe("");
  return { job, nonce };
}

/** Ids of the failed jobs on a page. */
function idsOn(text: string): string[] {
  return [...text.matchAll(/name="job" value="(tweet-\d+)"/g)].map(([, id = ""]) => id);
}
