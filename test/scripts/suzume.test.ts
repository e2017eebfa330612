import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { Visitor } from "../support/actors/visitor.ts";
import { openSignedBucket } from "../support/world/signed-bucket.ts";
import { freePort } from "../support/world/ports.ts";
import { startSiteProcess } from "../support/world/site-process.ts";

/** Whether curl signs what it sends from a file. */
function knowsBuckets(): boolean {
  try {
    const [, major, minor] =
      /^curl (\d+)\.(\d+)/.exec(execFileSync("curl", ["--version"], { encoding: "utf8" })) ?? [];
    return Number(major) > 7 || (Number(major) === 7 && Number(minor) >= 88);
  } catch {
    return false;
  }
}

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
    const walked = await call(command, ["backup", "walked.backup", "--walk"], {
      cwd: elsewhere,
      env: settings,
    });
    expect(walked.stderr).toContain("not all of one moment");
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

  it("each night it keeps one whole backup for the day of the week, and sends it to a bucket", async ({
    skip,
  }) => {
    skip(!knowsBuckets(), "curl 7.88 or newer is needed to send files to a bucket");
    const site = await startSiteProcess({ INLINE_WORKER: "false" });
    cleanups.push(() => site.kill());
    const writer = new Visitor(`http://127.0.0.1:${site.port}`);
    await writer.signUp("writer");
    const data = await folder();
    const bucket = await openSignedBucket("only for a test");
    cleanups.push(() => bucket.close());
    const settings = {
      PATH: process.env["PATH"],
      REDIS_URL: site.socket,
      DATA_DIR: data,
      BACKUP_BUCKET_URL: `${bucket.url}/nights/`,
      BACKUP_BUCKET_REGION: "us-east-1",
      BACKUP_BUCKET_KEY_ID: "key",
      BACKUP_BUCKET_SECRET: "only for a test",
    };
    const { stdout: day } = await call("date", ["+%u"], { env: settings });
    const name = `site-${day.trim()}.backup`;
    // What an interrupted night leaves, and the backup of a week ago.
    await writeFile(join(data, `${name}.new`), "half");
    await writeFile(join(data, name), "a week old");
    for (let night = 1; night <= 2; night += 1) {
      const { stderr } = await call(command, ["nightly"], { env: settings });
      expect(stderr).toContain("is complete");
      expect(stderr).toContain(`${name} is in the bucket`);
    }
    expect((await readdir(data)).filter((file) => file.startsWith("site-"))).toEqual([name]);
    const kept = await readFile(join(data, name));
    expect(kept.toString("latin1", 0, 20)).toMatch(/suzume/i);
    expect([...bucket.objects.keys()]).toEqual([`/nights/${name}`]);
    expect(bucket.objects.get(`/nights/${name}`)?.equals(kept)).toBe(true);

    // Where the bucket refuses or is away the backup stays, and the timer learns that something is wrong.
    const wrong = { ...settings, BACKUP_BUCKET_SECRET: "wrong" };
    for (const env of [wrong, { ...settings, BACKUP_BUCKET_URL: "http://127.0.0.1:1/nights" }])
      await expect(call(command, ["nightly"], { env })).rejects.toThrow("curl: (");
    expect((await readFile(join(data, name))).length).toBeGreaterThan(100);
  }, 120_000);

  it("without a known name it says how it is used", async () => {
    const error = (await call(command, ["what"]).catch((caught: unknown) => caught)) as {
      code: number;
      stderr: string;
    };
    expect([error.code, error.stderr]).toEqual([2, expect.stringContaining("Usage: suzume")]);
  });
});
