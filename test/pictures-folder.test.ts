import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { builtProgram } from "./support/world/built-program.ts";
import { freePort } from "./support/world/ports.ts";
import { launchRedis } from "./support/world/redis-server.ts";
import { stranger, whyNoStranger } from "./support/world/stranger.ts";

const cleanups: (() => Promise<unknown>)[] = [];
let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "suzume-test-"));
  await chmod(dataDir, 0o755);
  cleanups.push(() => rm(dataDir, { recursive: true, force: true }));
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** Redis is asked only after the folder. */
async function start(file: string, settings: Record<string, string>, as: object = {}) {
  const env = { PATH: process.env["PATH"], HOST: "127.0.0.1", DATA_DIR: dataDir, ...settings };
  const child = spawn(process.execPath, [await builtProgram(file)], {
    cwd: dataDir,
    env: { REDIS_URL: "redis://127.0.0.1:1", SESSION_SECRET: "x".repeat(32), ...env },
    stdio: ["ignore", "pipe", "pipe"],
    ...as,
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => (text += String(chunk)));
  const exited = once(child, "close").then(([code]) => code as number | null);
  cleanups.push(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  return { exited, said: () => text };
}

describe("a folder of pictures that cannot be written", () => {
  it.each(["start", "web", "worker"])("%s ends with exit code 78 and says why", async (file) => {
    await writeFile(join(dataDir, "pictures"), "");
    const { exited, said } = await start(file, {});
    expect(await exited).toBe(78);
    expect(said()).toContain("Give the folder DATA_DIR to the user that runs Suzume");
    expect(said()).toContain(join(dataDir, "pictures"));
    expect(said()).not.toMatch(/^ {2,}at /m);
  });

  it("several web processes end with exit code 78, too", async () => {
    await writeFile(join(dataDir, "pictures"), "");
    const port = String(await freePort());
    const { exited } = await start("web", { WEB_CONCURRENCY: "2", PORT: port });
    expect(await exited).toBe(78);
  });
});

describe("a site that runs as a system user without rights, as in the image", () => {
  it("in a folder of root it ends with exit code 78", async ({ skip }) => {
    const reason = await whyNoStranger();
    skip(reason !== undefined, reason);
    const { exited, said } = await start("web", {}, stranger);
    expect(await exited).toBe(78);
    expect(said()).toContain("EACCES");
  });

  it("in a folder of its own it is ready, and not while the pictures cannot be written", async ({
    skip,
  }) => {
    const reason = await whyNoStranger();
    skip(reason !== undefined, reason);
    await chown(dataDir, stranger.uid, stranger.gid);
    const [redisPort, port] = [await freePort(), await freePort()];
    const redisDir = join(dataDir, "redis");
    await mkdir(redisDir);
    const redis = launchRedis(["--port", redisPort, "--bind", "127.0.0.1", "--dir", redisDir]);
    cleanups.push(() => redis.kill());
    const settings = { REDIS_URL: `redis://127.0.0.1:${redisPort}`, PORT: String(port) };
    await start("web", { ...settings, LOG_LEVEL: "silent" }, stranger);
    const look = async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
      return [answer?.status, await answer?.text()];
    };
    const untilReady = async () =>
      await expect.poll(look, { timeout: 20_000 }).toEqual([200, "ok\n"]);
    await untilReady();
    await chmod(join(dataDir, "pictures"), 0o500);
    await expect.poll(async () => (await look())[0], { timeout: 5000 }).toBe(503);
    for (let time = 1; time <= 4; time += 1) {
      const [status, text] = await look();
      expect(status).toBe(503);
      expect(text).toMatch(/^the storage of pictures: EACCES/);
    }
    await chmod(join(dataDir, "pictures"), 0o700);
    await untilReady();
  });
});
