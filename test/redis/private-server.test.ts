import { spawn } from "node:child_process";
import * as fs from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { afterEach, describe, expect, it } from "vitest";
import { type PrivateServer, startPrivateServer } from "../../src/redis/private-server.ts";

const cleanups: Array<() => Promise<unknown>> = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function folder(): Promise<string> {
  const dir = await fs.mkdtemp(path.join(tmpdir(), "suzume-test-"));
  cleanups.push(() => fs.rm(dir, { recursive: true, force: true }));
  return dir;
}

async function start(dataDir: string): Promise<PrivateServer> {
  const server = await startPrivateServer({ dataDir });
  cleanups.push(() => server.stop());
  return server;
}

/** Runs one piece of work on a connection of its own. */
async function on<T>(server: PrivateServer, work: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis({ path: server.socket, retryStrategy: () => null });
  redis.on("error", () => {});
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

async function info(server: PrivateServer, field: string): Promise<string | undefined> {
  const text = await on(server, (redis) => redis.info("server"));
  return new RegExp(`^${field}:(.*)\\r$`, "m").exec(text)?.[1];
}

describe("startPrivateServer", () => {
  it("a private server creates its folder, for this user only", async () => {
    const dir = path.join(await folder(), "data");
    const server = await start(dir);
    expect(await on(server, (redis) => redis.ping())).toBe("PONG");
    expect((await fs.stat(dir)).mode & 0o777).toBe(0o700);
    expect((await fs.stat(server.socket)).mode & 0o777).toBe(0o700);
  });

  it("a private server keeps data from one run to the next", async () => {
    const dir = await folder();
    const first = await start(dir);
    await on(first, (redis) => redis.set("bird", "sparrow"));
    await first.stop();
    const second = await start(dir);
    expect(await on(second, (redis) => redis.get("bird"))).toBe("sparrow");
  });

  it("tweets and lists are compact, those written before a restart with the setting too", async () => {
    const dir = await folder();
    const text = "a tweet of more than 64 bytes, as most of them are, so that it was not compact";
    const isCompact = async (server: PrivateServer, key: string) =>
      (await on(server, (redis) => redis.object("ENCODING", key))) === "listpack";
    const former = await start(dir);
    await on(former, async (redis) => {
      await redis.config("SET", "hash-max-listpack-value", 64);
      await redis.config("SET", "zset-max-listpack-entries", 128);
      await redis.hset("tweet:1", { text });
      await redis.zadd("list", ...Array.from({ length: 1000 }, (_, nth) => [nth, `${nth}`]).flat());
    });
    expect(await isCompact(former, "tweet:1")).toBe(false);
    await former.stop();
    const server = await start(dir);
    await on(server, (redis) => redis.hset("tweet:2", { text }));
    for (const key of ["tweet:1", "tweet:2", "list"])
      expect([key, await isCompact(server, key)]).toEqual([key, true]);
  });

  it("a private server keeps data when Redis is killed", async () => {
    const dir = await folder();
    const first = await start(dir);
    await on(first, (redis) => redis.set("bird", "sparrow"));
    process.kill(Number(await info(first, "process_id")), "SIGKILL");
    await first.stop();
    const second = await start(dir);
    expect(await on(second, (redis) => redis.get("bird"))).toBe("sparrow");
  });

  it("a private server that died is restarted with its data", async () => {
    const server = await start(await folder());
    await on(server, (redis) => redis.set("bird", "sparrow"));
    process.kill(Number(await info(server, "process_id")), "SIGKILL");
    const answer = async () =>
      await on(server, (redis) => redis.get("bird")).catch(() => undefined);
    await expect.poll(answer, { timeout: 5000 }).toBe("sparrow");
    await server.stop();
    await expect(on(server, (redis) => redis.ping())).rejects.toThrow("closed");
  });

  it("stopping a private server during a restart leaves nothing running", async () => {
    const server = await start(await folder());
    process.kill(Number(await info(server, "process_id")), "SIGKILL");
    await sleep(120);
    await server.stop();
    await expect(on(server, (redis) => redis.ping())).rejects.toThrow("closed");
  });

  it("a process that stopped while Redis was away never connects again", async () => {
    const server = await start(await folder());
    process.kill(Number(await info(server, "process_id")), "SIGKILL");
    await server.stop();
    await fs.rm(server.socket, { force: true });
    let connections = 0;
    const next = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    cleanups.push(async () => await new Promise((resolve) => next.close(resolve)));
    await new Promise<void>((resolve) => next.listen(server.socket, resolve));
    await sleep(500);
    expect(connections).toBe(0);
  });

  it("processes share a running private server, which the last one stops", async () => {
    const dir = await folder();
    const first = await start(dir);
    const second = await start(dir);
    expect(await info(second, "run_id")).toBe(await info(first, "run_id"));
    await first.stop();
    expect(await on(second, (redis) => redis.ping())).toBe("PONG");
    await second.stop();
    await expect(on(second, (redis) => redis.ping())).rejects.toThrow("closed");
  });

  it("two simultaneous starts launch one private server", async () => {
    const dir = await folder();
    const servers = await Promise.all([start(dir), start(dir), start(dir)]);
    const ids = await Promise.all(servers.map((server) => info(server, "run_id")));
    expect(new Set(ids).size).toBe(1);
  });

  it("a new process uses a server that outlived its process, and that server keeps no process alive", async () => {
    const dir = await folder();
    const source = new URL("../../src/redis/private-server.ts", import.meta.url).href;
    const script = `import(${JSON.stringify(source)}).then(({ startPrivateServer }) =>
      startPrivateServer({ dataDir: ${JSON.stringify(dir)} }))`;
    const parent = spawn(process.execPath, ["--import", "tsx", "--eval", script]);
    const code = await new Promise((resolve) => parent.once("exit", resolve));
    expect(code).toBe(0);
    const log = path.join(dir, "redis.log");
    const before = await fs.readFile(log, "utf8");
    const server = await start(dir);
    expect(await on(server, (redis) => redis.ping())).toBe("PONG");
    expect(await fs.readFile(log, "utf8")).toBe(before);
  });

  it("a private server works in a folder whose path is too long for a socket", async () => {
    const dir = path.join(await folder(), "long ".repeat(12), "longer".repeat(20));
    const server = await start(dir);
    expect(server.socket.length).toBeLessThan(100);
    expect(await on(server, (redis) => redis.ping())).toBe("PONG");
    await server.stop();
    await expect(fs.lstat(path.dirname(server.socket))).rejects.toThrow("ENOENT");
  });

  it("a private server takes over the lock of a process killed while starting", async () => {
    const dir = await folder();
    await fs.writeFile(path.join(dir, "redis.lock"), "");
    const server = await start(dir);
    expect(await on(server, (redis) => redis.ping())).toBe("PONG");
  }, 15_000);

  it("damaged data is reported with a pointer to the docs", async () => {
    const dir = await folder();
    const server = await start(dir);
    await on(server, (redis) => redis.set("bird", "sparrow"));
    await server.stop();
    const files = path.join(dir, "appendonlydir");
    const log = (await fs.readdir(files)).find((name) => name.endsWith(".incr.aof"));
    await fs.writeFile(path.join(files, log ?? ""), "this is no append-only file\n".repeat(9));
    const failure = start(dir);
    await expect(failure).rejects.toThrow(path.join(dir, "redis.log"));
    await expect(failure).rejects.toThrow("Bad file format");
  });

  it("the end of Redis does not end the process", async () => {
    const server = await start(await folder());
    process.kill(Number(await info(server, "process_id")), "SIGKILL");
    await sleep(500);
    await expect(server.stop()).resolves.toBeUndefined();
  });
});
