import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Row } from "../src/redis/key-rows.ts";
import { keyTable } from "../src/redis/keys.ts";
import { documentedKeys, documentedName, undocumented } from "./support/inspect/key-docs.ts";
import {
  type Check,
  checkEnvironment,
  checkImports,
  checkKeys,
  findCircles,
  importsOf,
} from "./house-rules.ts";

const root = new URL("../src/", import.meta.url);
const names = readdirSync(root, { recursive: true, encoding: "utf8" }).map((name) =>
  name.replaceAll("\\", "/"),
);
const sources = names
  .filter((name) => name.endsWith(".ts"))
  .map((name) => ({ name, text: readFileSync(new URL(name, root), "utf8") }));

/** Everything that a check finds in the whole house. */
const findAll = (check: Check) => sources.flatMap(({ name, text }) => check(name, text));

const keyNames = Object.values<Row>(keyTable).map(documentedName);

describe("the source files", () => {
  it("source files import only what the table of imports allows", () => {
    expect(findAll(checkImports)).toEqual([]);
  });

  it("source files have no circles of imports, types included", () => {
    expect(findCircles(sources)).toEqual([]);
    const circle = [
      { name: "a/one.ts", text: 'import type { Two } from "../b/two.ts";' },
      { name: "b/two.ts", text: 'import { three } from "./three.ts";' },
      { name: "b/three.ts", text: 'import { one } from "../a/one.ts";' },
      { name: "b/four.ts", text: 'import { three } from "./three.ts";' },
    ];
    expect(findCircles(circle)).toEqual([["a/one.ts", "b/two.ts", "b/three.ts"]]);
  });

  it("every Redis key is spelled in one file", () => {
    expect(findAll(checkKeys(keyNames))).toEqual([]);
    const scripts = names.filter((name) => name.endsWith(".lua"));
    expect(scripts.length).toBeGreaterThan(3);
    for (const name of scripts) {
      const text = readFileSync(new URL(name, root), "utf8").replaceAll(/--.*/g, "");
      expect(checkKeys(keyNames)(name, text)).toEqual([]);
    }
  });

  it("one file reads the environment", () => {
    expect(findAll(checkEnvironment)).toEqual([]);
  });

  it("source files and docs name decisions that exist", () => {
    const docs = new URL("../docs/", import.meta.url);
    const pages = readdirSync(docs).filter((name) => name.endsWith(".md"));
    const texts = pages.map((name) => ({ name, text: readFileSync(new URL(name, docs), "utf8") }));
    const pagesOf = readdirSync(new URL("decisions/", docs));
    const known = new Set(pagesOf.map((name) => parseInt(name, 10)));
    const missing = [...sources, ...texts].flatMap(({ name, text }) =>
      [...text.matchAll(/\bdecision (\d+)/g)]
        .filter(([, number]) => !known.has(Number(number)))
        .map(([words]) => `${name}: ${words}`),
    );
    expect(missing).toEqual([]);
  });

  it("docs/redis-keys.md documents every key with its type, bound and time, and no other", () => {
    const rows = documentedKeys();
    expect(Object.values<Row>(keyTable).flatMap((row) => undocumented(row, rows))).toEqual([]);
    expect([...rows.keys()].toSorted()).toEqual([...new Set(keyNames)].toSorted());
  });
});

describe("the check of imports", () => {
  it.each([
    ["redis/exec.ts", 'import { postTweet } from "../domain/actions/post-tweet.ts";'],
    ["redis/exec.ts", 'import { now } from "../context.ts";'],
    ["redis/exec.ts", 'import { createQueues } from "../jobs/queue.ts";'],
    ["domain/users/store.ts", 'import { follow } from "../actions/follow.ts";'],
    ["domain/graph/follows.ts", 'import { homeEntries } from "../timelines/home.ts";'],
    ["domain/timelines/home.ts", 'import type { Tweet } from "../tweets/store.ts";'],
    ["domain/page.ts", 'import { findUser } from "./users/store.ts";'],
    ["domain/actions/post-tweet.ts", 'import { parseConfig } from "../../config.ts";'],
    ["domain/actions/post-tweet.ts", 'import { boot } from "../../boot.ts";'],
    ["domain/actions/post-tweet.ts", 'import { startWorkers } from "../../jobs/workers.ts";'],
    ["domain/actions/post-tweet.ts", 'import { Router } from "express";'],
    ["domain/actions/post-tweet.ts", 'import { Queue } from "bullmq";'],
    ["domain/actions/like.ts", 'import { render } from "pug";'],
    ["domain/novelties/store.ts", 'import { x } from "../gossip/store.ts";'],
    ["jobs/queue.ts", 'import { exec } from "../redis/exec.ts";'],
    ["jobs/queue.ts", 'import { createApp } from "../web/app.ts";'],
    ["web/live/hub.ts", 'import { toStatus } from "../api/entities/status.ts";'],
    ["web/layout/tweet.ts", 'import { wordsOf } from "../request/reader.ts";'],
    ["web/site/home/view.ts", 'import { homePages } from "./routes.ts";'],
    ["web/site/home/form.ts", 'import { presentHome } from "./view.ts";'],
    ["web/pages/home.ts", 'import { presentHome } from "../site/home/view.ts";'],
    ["web/server/render.ts", 'import { homePages } from "../site/home/routes.ts";'],
    ["web/site/home/routes.ts", 'import { keys } from "../../../redis/keys.ts";'],
    ["web/site/home/routes.ts", 'import type { Queues } from "../../../jobs/queue.ts";'],
    ["web/site/home/routes.ts", 'import { Redis } from "ioredis";'],
    ["web/site/home/routes.ts", 'import type { Queue } from "bullmq";'],
    ["web/site/home/routes.ts", 'export { exec } from "../../../redis/exec.ts";'],
    ["web/site/home/routes.ts", 'const redis = await import("../../../redis/exec.ts");'],
    ["web/site/home/routes.ts", 'import "../../../boot.ts";'],
    ["web/site/home/routes.ts", 'import {\n  exec,\n} from "../../../redis/exec.ts";'],
    ["jobs/workers.ts", 'import { examine } from "../doctor/examine.ts";'],
    ["web.ts", 'import { examine } from "./doctor/examine.ts";'],
    ["doctor/examine.ts", 'import { createApp } from "../web/app.ts";'],
    ["web.ts", 'import { makeBackup } from "./backup/make-backup.ts";'],
    ["worker.ts", 'import { findCommand } from "./admin/commands.ts";'],
    ["backup/read-server.ts", 'import { postTweet } from "../domain/actions/post-tweet.ts";'],
    ["migrations/migrate.ts", 'import { boot } from "../boot.ts";'],
    ["domain/users/store.ts", 'import { migrate } from "../../migrations/migrate.ts";'],
    ["context.ts", 'import { parseConfig } from "./config.ts";'],
    ["boot.ts", 'import { parseSettings } from "./settings.ts";'],
    ["settings.ts", 'import type { Ctx } from "./context.ts";'],
    ["config.ts", 'import type { Ctx } from "./context.ts";'],
  ])("the import check refuses in %s: %s", (path, text) => {
    expect(checkImports(path, text)).toHaveLength(1);
  });

  it.each([
    ["redis/exec.ts", 'import type { RedisClient } from "./redis-client.ts";'],
    ["redis/keys.ts", 'import type { UserId } from "../domain/ids.ts";'],
    ["domain/actions/post-tweet.ts", 'import { exec } from "../../redis/exec.ts";'],
    ["domain/actions/post-tweet.ts", 'import { readFeed } from "../feeds/read-feed.ts";'],
    ["domain/actions/post-tweet.ts", 'import { checkText } from "../tweets/text.ts";'],
    ["web/api/app.ts", 'import { hub } from "../live/hub.ts";'],
    ["web/app.ts", 'import { homePages } from "./site/home/routes.ts";'],
    ["domain/users/store.ts", 'import { userId } from "../ids.ts";'],
    ["jobs/queue.ts", 'import { keys } from "../redis/keys.ts";'],
    ["web/site/home/routes.ts", 'import { homeFeed } from "../../../domain/feeds/feeds.ts";'],
    ["web/site/home/routes.ts", 'import { Router } from "express";'],
    ["web/site/home/routes.ts", '// import { exec } from "../../../redis/exec.ts";'],
    [
      "web/site/home/routes.ts",
      'const text = `import { exec } from`; const other = "../../../redis/exec.ts";',
    ],
    ["boot.ts", 'import { createApp } from "./web/app.ts";'],
    ["config.ts", 'import { parseSettings } from "./settings.ts";'],
    ["restore.ts", 'import { readFile } from "./backup/read-file.ts";'],
    ["boot.ts", 'import { startUpgrade } from "./migrations/migrate.ts";'],
    ["doctor.ts", 'import { examine } from "./doctor/examine.ts";'],
    ["doctor/examine.ts", 'import { reconcileLike } from "../domain/actions/like.ts";'],
    ["doctor/scan.ts", 'import { exec } from "../redis/exec.ts";'],
  ])("the import check allows in %s: %s", (path, text) => {
    expect(checkImports(path, text)).toEqual([]);
  });

  it("the import check sees imports of every form", () => {
    const text = `import a from "a"; import type { B } from 'b';\nimport * as c from "c";
      import { d,\n e } from "d"; export * from "f"; import "g"; const h = import("h");`;
    expect(importsOf(text).map((one) => one.from)).toEqual(["a", "b", "c", "d", "f", "g", "h"]);
    expect(importsOf(text).filter((one) => one.typeOnly)).toHaveLength(1);
  });
});

describe("the check of keys", () => {
  const check = checkKeys(keyNames);

  it.each([
    "redis.get(`user:${id}`)",
    'redis.incr("tweet:ids")',
    "redis.get('username:' + name)",
    "redis.zadd(`${user}:followers`, 1)",
    "redis.zadd(`${user}:home_timeline`, 1)",
    'const prefix = "sess:";',
    'const queue = "{jobs}";',
    "limit(`rate:login:${name}`)",
    "const key = `tweets:global`;",
  ])("the key check refuses %s", (text) => {
    expect(check("web/site/home/routes.ts", text)).toHaveLength(1);
    expect(check("redis/keys.ts", text)).toEqual([]);
  });

  it.each([
    "redis.get(keys.user(id))",
    "// such as `user:7`",
    "/** `tweet:ID` holds it. */",
    'throw new NotFound("tweet");',
    'router.get("/tweets/:id");',
    'log.error("user: not found");',
    "const style = { user: 1, tweet: 2 };",
    "const label = `${count} followers`;",
  ])("the key check allows %s", (text) => {
    expect(check("web/site/home/routes.ts", text)).toEqual([]);
  });
});

describe("the check of the environment", () => {
  it.each([
    "process.env.PORT",
    'process.env["PORT"]',
    "const { env } = process; process . env",
    'process["env"]',
    "process?.env",
    "import.meta.env.PORT",
    'import { env } from "node:process";',
    'process.loadEnvFile(".env")',
  ])("the environment check refuses %s", (text) => {
    expect(checkEnvironment("web/app.ts", text)).toHaveLength(1);
    expect(checkEnvironment("config.ts", text)).toEqual([]);
  });

  it.each(["// process.env.PORT", "process.exit(1)", "const environment = process.argv;"])(
    "the environment check allows %s",
    (text) => {
      expect(checkEnvironment("web/app.ts", text)).toEqual([]);
    },
  );
});
