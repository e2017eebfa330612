import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ReplyError } from "ioredis";
import { afterEach, describe, expect, it } from "vitest";
import { type Booted, boot, createLog } from "../src/boot.ts";
import { type Config, parseConfig } from "../src/config.ts";
import { type Address, connect } from "../src/redis/client.ts";
import { postTweet } from "../src/domain/actions/post-tweet.ts";
import { isOutage } from "../src/domain/outage.ts";
import { follow } from "../src/domain/actions/follow.ts";
import { serve } from "../src/serve.ts";
import { sessionSecret } from "../src/session-secret.ts";
import { startPrivateServer } from "../src/redis/private-server.ts";
import type { UserId } from "../src/domain/ids.ts";
import { newPeople, storedHome } from "./support/actors/people.ts";
import { emptyRedis, testAddress } from "./support/world/test-redis.ts";

const quiet: Config = { ...parseConfig({}), logLevel: "silent" };
const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function folder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "suzume-test-"));
  cleanups.push(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

async function booted(address: Address): Promise<Booted> {
  const site = await boot(quiet, address);
  cleanups.push(() => site.close());
  return site;
}

describe("boot", () => {
  it("gives a context that works, with workers that keep its promises", async () => {
    const { ctx, work } = await booted(testAddress());
    await emptyRedis(ctx.redis);
    const [author, reader] = (await newPeople(ctx, 2)) as [UserId, UserId];
    await follow(ctx, { follower: reader, followee: author });
    const tweet = await postTweet(ctx, author, { text: "first" });
    expect(await storedHome(ctx, reader)).not.toContain(tweet);
    work();
    while (!(await storedHome(ctx, reader)).includes(tweet))
      await new Promise((resolve) => setTimeout(resolve, 10));
  });

  it("refuses a Redis that would drop data, and says what to do", async () => {
    const server = await startPrivateServer({ dataDir: await folder() });
    cleanups.push(() => server.stop());
    const redis = connect({ socket: server.socket }, "worker", quiet, () => {});
    await redis.config("SET", "maxmemory-policy", "volatile-lru");
    redis.disconnect();
    const attempt = boot(quiet, { socket: server.socket });
    await expect(attempt).rejects.toThrow("maxmemory-policy noeviction");
    // It has let go of Redis, so the last one out turns off the light.
    await server.stop();
    await expect(stat(server.socket)).rejects.toThrow("ENOENT");
  });

  it("lets go of Redis when its port is taken", async () => {
    const server = await startPrivateServer({ dataDir: await folder() });
    cleanups.push(() => server.stop());
    const taken = createServer().listen(0, "127.0.0.1");
    cleanups.push(async () => taken.close());
    await new Promise((resolve) => taken.once("listening", resolve));
    const { port } = taken.address() as AddressInfo;
    const config = { ...quiet, port, sessionSecret: "x".repeat(32) };
    const site = await boot(config, { socket: server.socket });
    await expect(serve(site)).rejects.toThrow(`Port ${port} is taken`);
    await server.stop();
    await expect(stat(server.socket)).rejects.toThrow("ENOENT");
  });

  it("goes on without a Redis that does not answer", async () => {
    const { ctx } = await booted({ socket: "/nowhere/redis.sock" });
    await expect(ctx.redis.get("anything")).rejects.toSatisfy(isOutage);
  });
});

describe("the session secret", () => {
  it("is the configured one, if there is one", async () => {
    const dataDir = join(await folder(), "data");
    const secret = "x".repeat(32);
    expect(await sessionSecret({ ...quiet, dataDir, sessionSecret: secret })).toBe(secret);
    await expect(stat(dataDir)).rejects.toThrow("ENOENT");
  });

  it("is made once, for this user's eyes only, and kept", async () => {
    const config = { ...quiet, dataDir: join(await folder(), "data") };
    const secrets = await Promise.all(Array.from({ length: 20 }, () => sessionSecret(config)));
    expect(new Set(secrets).size).toBe(1);
    expect(secrets[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(await sessionSecret(config)).toBe(secrets[0]);
    expect((await stat(join(config.dataDir, "session-secret"))).mode & 0o777).toBe(0o600);
  });

  it("is never half a secret or none, where another process was about to write it", async () => {
    const config = { ...quiet, dataDir: await folder() };
    const file = join(config.dataDir, "session-secret");
    await writeFile(file, "");
    const secret = sessionSecret(config);
    await new Promise((resolve) => setTimeout(resolve, 150));
    await writeFile(file, "a".repeat(64));
    expect(await secret).toBe("a".repeat(64));
    await writeFile(file, "");
    await expect(sessionSecret(config)).rejects.toThrow("delete it");
    expect(await readFile(file, "utf8")).toBe("");
  });
});

function logged(what: object): string {
  const lines: string[] = [];
  createLog({ ...quiet, logLevel: "info" }, { write: (line) => void lines.push(line) }).info(what);
  return lines.join("");
}

const failed = (command: object) => Object.assign(new ReplyError("OOM"), { command });

describe("the log", () => {
  it("hides what signs people in", () => {
    const req = { headers: { cookie: "sid=SECRET", authorization: "Bearer SECRET" } };
    const res = { headers: { "set-cookie": ["sid=SECRET"] } };
    const user = { password: "SECRET", pass: "SECRET" };
    const err = failed({ name: "set", args: ["sess:1", "SECRET"] });
    const abort = Object.assign(failed({ name: "exec", args: ["SECRET"] }), {
      previousErrors: [failed({ name: "hset", args: ["SECRET"] })],
    });
    for (const what of [{ req, res }, { user }, { err }, { err: abort }]) {
      const line = logged(what);
      expect(line).not.toContain("SECRET");
      expect(line).toContain("[Redacted]");
    }
  });

  it("is silent below its level", () => {
    const lines: string[] = [];
    const log = createLog(
      { ...quiet, logLevel: "warn" },
      { write: (line) => void lines.push(line) },
    );
    log.info("chatter");
    log.warn("news");
    expect(lines).toHaveLength(1);
  });
});
