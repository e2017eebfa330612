import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { deployFile } from "../support/inspect/deploy-files.ts";
import { hasProgram } from "../support/world/host-program.ts";
import { freePort } from "../support/world/ports.ts";

const run = promisify(execFile);

describe.skipIf(!hasProgram("caddy", "version"))("caddy", () => {
  const cleanups: (() => unknown)[] = [];
  let home: string;
  let file: string;
  const surroundings = () => ({ PATH: process.env["PATH"], HOME: home, XDG_DATA_HOME: home });

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "suzume-test-"));
    cleanups.push(() => rm(home, { recursive: true, force: true }));
    file = join(home, "Caddyfile");
    // Its own port for orders may be in use.
    await writeFile(file, `{\n\tadmin off\n}\n${deployFile("Caddyfile")}`);
  });
  afterAll(async () => {
    for (const cleanup of cleanups.toReversed()) await cleanup();
  });

  it.each([
    ["suzume.example", "127.0.0.1:3000", {}],
    ["birds.example", "web:3000", { DOMAIN: "birds.example", UPSTREAM: "web:3000" }],
  ])("the Caddyfile is one for %s, before %s", async (domain, upstream, settings) => {
    const options = ["adapt", "--config", file, "--adapter", "caddyfile", "--validate"];
    const { stdout } = await run("caddy", options, { env: { ...surroundings(), ...settings } });
    expect(stdout).toContain(`"${domain}"`);
    expect(stdout).toContain(`"${upstream}"`);
  });

  it("forms of 0 to 25 MB arrive whole, and pages wait while the site restarts", async () => {
    const [port, upstreamPort] = [await freePort(), await freePort()];
    const server = spawn("caddy", ["run", "--config", file, "--adapter", "caddyfile"], {
      env: {
        ...surroundings(),
        DOMAIN: `http://127.0.0.1:${port}`,
        UPSTREAM: `127.0.0.1:${upstreamPort}`,
      },
      stdio: "ignore",
    });
    const ended = once(server, "exit");
    cleanups.push(async () => {
      server.kill();
      await ended;
    });
    const url = `http://127.0.0.1:${port}/`;
    // Answers with how long the body was, and who sent it as the proxy says.
    const site = createServer((req: IncomingMessage, res) => {
      let bytes = 0;
      req
        .on("data", (chunk: Buffer) => (bytes += chunk.length))
        .on("end", () => res.end(`${bytes} ${String(req.headers["x-forwarded-for"])}`));
    });
    cleanups.push(() => site.close());
    const restarted = sleep(2000).then(() => site.listen(upstreamPort, "127.0.0.1"));
    const page = await vi.waitFor(async () => await fetch(url), 20_000);
    await restarted;
    expect([page.status, await page.text()]).toEqual([200, "0 127.0.0.1"]);
    for (const bytes of [0, 1, 1_000_000, 20_000_000, 25_000_000]) {
      const body = Buffer.alloc(bytes);
      const headers = { "X-Forwarded-For": "192.0.2.1" };
      const answer = await fetch(url, { method: "POST", body, headers });
      expect([answer.status, await answer.text()]).toEqual([200, `${bytes} 127.0.0.1`]);
    }
  });
});
