// Does what a newcomer does after `git clone`: npm start, two people, a tweet. Then what no
// newcomer does: kill -9, of the site and of its Redis. Exit code 0 if all of it went well.
import assert from "node:assert/strict";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Browser } from "./browser.mjs";
import { Site, sparePort } from "./site.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = fs.mkdtempSync(path.join(tmpdir(), "suzume-start-"));
const socket = path.join(folder, "data", "redis.sock");
const port = await sparePort();
const base = `http://127.0.0.1:${port}`;
const alice = new Browser(base);
const bob = new Browser(base);

/** The first start may install packages, build and fetch a Redis. */
const FIRST_START_MS = 200_000;
const START_MS = 20_000;
const DELIVERY_MS = 2000;
const END_MS = 15_000;

let site;

async function start(milliseconds) {
  site = new Site(root, { port, dataDir: path.join(folder, "data") });
  await site.opensWithin(milliseconds);
}

async function kill() {
  site.signal("SIGKILL");
  assert.ok(await site.endsWithin(END_MS), "kill -9 ends the site");
}

/** Runs one piece of work on the site's Redis. Imported late: npm start installs ioredis. */
async function onRedis(work) {
  const { Redis } = await import("ioredis");
  const redis = new Redis({ path: socket, retryStrategy: () => null });
  redis.on("error", () => {});
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

async function redisInfo(field) {
  const text = await onRedis((redis) => redis.info("server"));
  return new RegExp(`^${field}:(.*)\\r$`, "m").exec(text)?.[1];
}

async function signUp(browser, name, fullname) {
  const fields = { name, fullname, password: "early birds sing 7" };
  const { status, hasCookie } = await browser.post("/signup", fields);
  assert.equal(status, 303, `${name} signs up`);
  assert.ok(hasCookie, `${name} gets a session cookie`);
}

async function tweet(text) {
  assert.equal((await alice.post("/tweets", { text })).status, 303, `alice tweets "${text}"`);
}

async function arrives(id, text) {
  const deadline = performance.now() + DELIVERY_MS;
  const article = new RegExp(
    `<article(?=[^>]*\\sid="tweet-${id}")[^>]*\\sdata-tweet-id="${id}"[^>]*>(.*?)</article>`,
    "s",
  );
  for (;;) {
    const page = await bob.get("/");
    assert.equal(page.status, 200, "bob's home page is served");
    if (article.exec(page.text)?.[1]?.includes(text)) return;
    assert.ok(performance.now() < deadline, `tweet ${id} is on bob's home page within 2 s`);
    await sleep(50);
  }
}

/** The keys that scripts of other people rely on. */
async function checkKeys() {
  await onRedis(async (redis) => {
    const user = await redis.hgetall("user:1");
    assert.equal(user.name, "alice");
    assert.equal(user.fullname, "Demo Alice");
    assert.match(user.pass, /^\$2[aby]\$12\$/, "the password is hashed");
    assert.ok(Number(await redis.zscore("user:1:followers", "2")) > 0, "bob follows alice");
    const first = await redis.hgetall("tweet:1");
    assert.equal(first.text, "おはよう from the first sparrow");
    assert.equal(first.user_id, "1");
    const score = await redis.zscore("user:2:home_timeline", "1");
    assert.equal(score, first.created_at, "the score is the tweet's stamp");
    assert.match(score, /^\d{16}$/, "a stamp is whole microseconds");
  });
}

async function checkAll() {
  await start(FIRST_START_MS);
  await signUp(alice, "alice", "Demo Alice");
  await signUp(bob, "bob", "Demo Bob");
  assert.equal((await bob.post("/@alice/follow")).status, 303, "bob follows alice");
  await tweet("おはよう from the first sparrow");
  await arrives(1, "おはよう from the first sparrow");
  await checkKeys();

  const runId = await redisInfo("run_id");
  await kill();
  await start(START_MS);
  assert.equal(await redisInfo("run_id"), runId, "Redis outlives the site and is used again");
  await arrives(1, "おはよう from the first sparrow");
  await tweet("still here");
  await arrives(2, "still here");

  process.kill(Number(await redisInfo("process_id")), "SIGKILL");
  await kill();
  await start(START_MS);
  await arrives(1, "おはよう from the first sparrow");
  await arrives(2, "still here");
  await checkKeys();

  // kill -9 of npm reaches no other process: the site must notice.
  site.killNpm();
  assert.ok(await site.endsWithin(END_MS), "the site ends with npm");
  await start(START_MS);
  await arrives(2, "still here");

  const redis = Number(await redisInfo("process_id"));
  site.signal("SIGINT");
  assert.ok(await site.endsWithin(END_MS), "Ctrl-C ends the site");
  assert.ok(!fs.existsSync(socket), "Ctrl-C ends Redis");
  assert.throws(() => process.kill(redis, 0), { code: "ESRCH" }, "Redis's process has ended");
}

try {
  await checkAll();
} catch (error) {
  process.stderr.write(`${error.stack}\n\nnpm start wrote:\n${site?.output ?? "nothing"}\n`);
  process.exitCode = 1;
} finally {
  site?.signal("SIGKILL");
  await onRedis((redis) => redis.shutdown()).catch(() => {});
  fs.rmSync(folder, { recursive: true, force: true });
}
