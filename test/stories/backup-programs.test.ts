import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { builtProgram } from "../support/world/built-program.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function folder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "suzume-test-"));
  cleanups.push(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

async function launch(program: string, dataDir: string, args: string[], settings = {}) {
  const child = spawn(process.execPath, [await builtProgram(program), ...args], {
    env: {
      PATH: process.env["PATH"],
      DATA_DIR: dataDir,
      PORT: "0",
      HOST: "127.0.0.1",
      ...settings,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => (text += String(chunk)));
  return { child, said: () => text, closed: once(child, "close") as Promise<[number | null]> };
}

/** Exit code and all that was written. */
async function run(program: string, dataDir: string, ...args: string[]) {
  const { said, closed } = await launch(program, dataDir, args);
  const [code] = await closed;
  return { code, text: said() };
}

/** `npm start` on a private Redis. */
async function start(dataDir: string): Promise<{ url: string; stop(): Promise<void> }> {
  const { child, said, closed } = await launch("start", dataDir, []);
  cleanups.push(() => end(child, closed));
  for (;;) {
    const url = /open (http\S+)/.exec(said())?.[1];
    if (url !== undefined) return { url, stop: () => end(child, closed) };
    if (child.exitCode !== null) throw new Error(said());
    await sleep(50);
  }
}

async function end(child: ChildProcess, closed: Promise<unknown>): Promise<void> {
  child.kill("SIGTERM");
  await closed;
}

async function signUp(url: string): Promise<string> {
  const form = { name: "ann", fullname: "Ann", password: "correct horse 42" };
  const body = new URLSearchParams(form);
  const answer = await fetch(`${url}/signup`, { method: "POST", body, redirect: "manual" });
  expect(answer.status).toBe(303);
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
}

async function isSignedIn(url: string, cookie: string): Promise<boolean> {
  const page = `${url}/settings/profile`;
  return (await fetch(page, { headers: { cookie }, redirect: "manual" })).status === 200;
}

describe("npm run backup, restore and admin on the private Redis", () => {
  it("backup and restore move a private site with its sessions to another folder", async () => {
    const [from, to, files] = [await folder(), await folder(), await folder()];
    const file = join(files, "site.backup");
    const site = await start(from);
    const cookie = await signUp(site.url);

    const made = await run("backup", from, file);
    expect([made.code, made.text]).toEqual([0, expect.stringContaining("all of one moment")]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await isSignedIn(site.url, cookie)).toBe(true);
    expect((await run("restore", from, file, "--overwrite")).text).toContain("the site runs");
    expect((await run("admin", from, "stats")).text).toMatch(/^users +1 signed up/m);
    await site.stop();

    // The site does not run: its Redis is started for that time, and ends with the program.
    expect((await run("admin", from, "stats")).text).toMatch(/^users +1 signed up/m);
    await expect(stat(join(from, "redis.sock"))).rejects.toThrow("ENOENT");
    const again = await run("backup", from, join(files, "stopped.backup"));
    expect([again.code, again.text]).toEqual([0, expect.stringContaining("all of one moment")]);
    expect((await run("restore", from, file)).text).toContain("there is data in this Redis");

    expect(await run("restore", to, file)).toMatchObject({ code: 0 });
    const moved = await start(to);
    expect(await isSignedIn(moved.url, cookie)).toBe(true);
    expect(await isSignedIn(moved.url, "")).toBe(false);

    // The settings of a new machine have a secret of their own: that of the backup is there for the operator.
    const machine = await folder();
    const settings = { SESSION_SECRET: "x".repeat(40) };
    const { said, closed } = await launch("restore", machine, [file], settings);
    expect((await closed)[0]).toBe(0);
    const kept = join(machine, "session-secret-of-backup");
    expect(said()).toContain(kept);
    expect((await stat(kept)).mode & 0o777).toBe(0o600);
    const secret = await readFile(join(from, "session-secret"), "utf8");
    expect(await readFile(kept, "utf8")).toBe(secret.trim());
  }, 120_000);

  it("backup and restore say what is wrong, and exit with 1", async () => {
    const [dataDir, files] = [await folder(), await folder()];
    const file = join(files, "site.backup");
    for (const program of ["backup", "restore"]) {
      const { code, text } = await run(program, dataDir);
      expect([code, text]).toEqual([1, expect.stringMatching(/usage: npm run/i)]);
    }
    const nothing = await run("backup", dataDir, file);
    expect([nothing.code, nothing.text]).toEqual([1, expect.stringContaining("no data of Suzume")]);
    await writeFile(file, "no backup");
    const wrong = await run("restore", dataDir, file);
    expect([wrong.code, wrong.text]).toEqual([
      1,
      expect.stringContaining("is no backup of Suzume"),
    ]);
    expect(await readFile(file, "utf8")).toBe("no backup");
  }, 60_000);
});
