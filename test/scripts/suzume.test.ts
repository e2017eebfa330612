import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { Visitor } from "../support/actors/visitor.ts";
import { freePort } from "../support/world/ports.ts";
import { startSiteProcess } from "../support/world/site-process.ts";

const command = fileURLToPath(new URL("../../scripts/suzume", import.meta.url));
const call = promisify(execFile);

describe("the command suzume", () => {
  const cleanups: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  async function folder(): Promise<string> {
    const path = await mkdtemp(join(tmpdir(), "suzume-test-"));
    cleanups.push(() => rm(path, { recursive: true, force: true }));
    return path;
  }

  it("from any folder it makes a backup, and tries it as a site that reaches no other", async () => {
    let connections = 0;
    const world = createServer((socket) => {
      connections += 1;
      socket.destroy();
    }).listen(0, "127.0.0.1");
    await once(world, "listening");
    cleanups.push(() => world.close());
    const { port: worldPort } = world.address() as AddressInfo;
    const site = await startSiteProcess({ INLINE_WORKER: "false" });
    cleanups.push(() => site.kill());
    const writer = new Visitor(`http://127.0.0.1:${site.port}`);
    await writer.signUp("writer");
    await writer.tweet("in the backup");

    const [elsewhere, port] = [await folder(), await freePort()];
    const settings = {
      PATH: process.env["PATH"],
      REDIS_URL: site.socket,
      DATA_DIR: await folder(),
      SMTP_URL: `smtp://127.0.0.1:${worldPort}`,
      MAIL_FROM: "site@example.org",
      ALERT_WEBHOOK_URL: `http://127.0.0.1:${worldPort}/alert`,
      REPORT_WEBHOOK_URL: `http://127.0.0.1:${worldPort}/report`,
      TRY_PORT: String(port),
      LOG_LEVEL: "error",
    };
    const file = join(elsewhere, "site.backup");
    const made = await call(command, ["backup", "site.backup"], { cwd: elsewhere, env: settings });
    expect(made.stderr).toContain(`${file} is complete`);
    const stats = await call(command, ["admin", "stats"], { cwd: elsewhere, env: settings });
    expect(stats.stdout).toMatch(/1/);

    const others = {
      REDIS_TLS_URL: `rediss://127.0.0.1:${worldPort}`,
      BUCKET_URL: `http://127.0.0.1:${worldPort}/bucket`,
      BUCKET_KEY_ID: "key",
      BUCKET_SECRET: "secret",
    };
    const trial = spawn(command, ["try", "site.backup"], {
      cwd: elsewhere,
      env: { ...settings, ...others },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const exited = once(trial, "exit");
    cleanups.push(() => trial.kill("SIGKILL"));
    const url = `http://127.0.0.1:${port}`;
    const page = async () =>
      await fetch(`${url}/@writer`).then(
        (answer) => answer.text(),
        () => "",
      );
    await expect.poll(page, { timeout: 30_000, interval: 100 }).toContain("in the backup");
    // What would send mails, alerts and webhooks waits as a job, and nothing runs jobs.
    const reader = new Visitor(url);
    await reader.signUp("reader");
    await reader.post("/@writer/report", { reason: "spam" });
    await reader.post("/forgot/mail", { account: "writer" });
    trial.kill("SIGTERM");
    await exited;
    expect(connections).toBe(0);
    expect(await page()).toBe("");
    expect((await fetch(`http://127.0.0.1:${site.port}/@reader`)).status).toBe(404);
  }, 90_000);

  it("without a known name it says how it is used", async () => {
    const error = (await call(command, ["what"]).catch((caught: unknown) => caught)) as {
      code: number;
      stderr: string;
    };
    expect([error.code, error.stderr]).toEqual([2, expect.stringContaining("Usage: suzume")]);
  });
});
