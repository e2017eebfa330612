import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectApp } from "./stories/mastodon-client.ts";
import { SocketListener } from "./support/actors/socket-listener.ts";
import { Visitor } from "./support/actors/visitor.ts";
import { builtProgram } from "./support/world/built-program.ts";
import { launchOnSocket } from "./support/world/redis-server.ts";
import { type SiteProcess, startSiteProcess } from "./support/world/site-process.ts";

describe("a site of two web processes", () => {
  let site: SiteProcess;
  beforeAll(async () => {
    site = await startSiteProcess({ WEB_CONCURRENCY: "2" });
  });
  afterAll(() => site.kill());

  /** Still open when the site ends. */
  const left: SocketListener[] = [];

  /** The process that answers a request on a new connection. */
  async function whoAnswers(): Promise<number> {
    const url = `http://127.0.0.1:${site.port}/metrics`;
    // A connection that Node.js was handing to a process when that was killed is never answered.
    const signal = AbortSignal.timeout(5000);
    const text = await (await fetch(url, { headers: { Connection: "close" }, signal })).text();
    return Number(/process="(\d+)"/.exec(text)?.[1]);
  }

  async function untilTwoAnswer(except: number[] = []): Promise<number[]> {
    const seen = new Set<number>();
    while (seen.size < 2) {
      const pid = await whoAnswers().catch(() => NaN);
      if (pid > 0 && !except.includes(pid)) seen.add(pid);
      await sleep(100);
    }
    return [...seen];
  }

  it("two web processes serve one port", async () => {
    const pids = await untilTwoAnswer();
    expect(pids).not.toContain(site.child.pid);
  });

  it("a killed web process is replaced while the other serves", async () => {
    const [killed = 0, other = 0] = await untilTwoAnswer();
    process.kill(killed, "SIGKILL");
    await expect.poll(() => whoAnswers().catch(() => NaN), { timeout: 20_000 }).toBe(other);
    expect(await untilTwoAnswer([killed])).toContain(other);
  }, 60_000);

  it("two web processes that are killed at the same time are both replaced", async () => {
    const pids = await untilTwoAnswer();
    for (const pid of pids) process.kill(pid, "SIGKILL");
    expect(await untilTwoAnswer(pids)).toHaveLength(2);
  }, 60_000);

  it("WebSockets at either process hear what any process writes", async () => {
    const url = `http://127.0.0.1:${site.port}`;
    const person = new Visitor(url);
    await person.signUp("listener");
    const { token, rest } = await connectApp(url, person);
    const open = Array.from(
      { length: 6 },
      () => new SocketListener(`${url.replace("http", "ws")}/api/v1/streaming`, [token]),
    );
    for (const one of open) (await one.opened()).subscribe("user");
    // Nothing tells a client when its process listens: what is written before is not sent.
    const writing = setInterval(() => {
      rest.v1.statuses.create({ status: `for all processes, ${Date.now()}` }).catch(() => {});
    }, 1500);
    for (const one of open) await one.hearsTweet(["user"], "for all processes");
    clearInterval(writing);
    left.push(...open);
  }, 30_000);

  it("on SIGTERM a site answers what was sent before, and ends with all its processes", async () => {
    const pids = await untilTwoAnswer();
    const asked = Array.from({ length: 20 }, () => fetch(`http://127.0.0.1:${site.port}/about`));
    await sleep(20);
    site.child.kill("SIGTERM");
    const statuses = await Promise.all(asked.map(async (answer) => (await answer).status));
    expect(statuses).toEqual(statuses.map(() => 200));
    expect(await site.exited).toBe(0);
    for (const { ended } of left) expect(await ended).toBe(1001);
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  }, 30_000);
});

describe("a site of several web processes that cannot listen", () => {
  it("a site whose web processes cannot listen says so and ends", async () => {
    const redis = await launchOnSocket();
    // An address that no machine has: of those for documentation.
    const settings = { REDIS_URL: redis.path, HOST: "192.0.2.1", PORT: "0", WEB_CONCURRENCY: "2" };
    const child = spawn(process.execPath, [await builtProgram("web")], {
      env: { PATH: process.env["PATH"], ...settings, DATA_DIR: redis.dir },
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    child.stderr.on("data", (chunk) => (said += String(chunk)));
    const [code] = (await once(child, "exit")) as [number | null];
    await redis.kill();
    expect(code).toBe(1);
    expect(said).toContain("192.0.2.1");
    expect(said).toContain("a web process ended before it listened");
  }, 60_000);
});
