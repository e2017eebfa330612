import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ReplyError } from "ioredis";
import { afterEach, describe, expect, it } from "vitest";
import { createLog } from "../src/boot.ts";
import { type Config, parseConfig } from "../src/config.ts";
import { sessionSecret } from "../src/session-secret.ts";

const quiet: Config = { ...parseConfig({}), logLevel: "silent" };
const folders: string[] = [];

afterEach(async () => {
  for (const dir of folders.splice(0)) await rm(dir, { recursive: true, force: true });
});

async function folder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "suzume-test-"));
  folders.push(dir);
  return dir;
}

describe("the session secret", () => {
  it("the session secret is the configured value if there is one", async () => {
    const dataDir = join(await folder(), "data");
    const secret = "x".repeat(32);
    expect(await sessionSecret({ ...quiet, dataDir, sessionSecret: secret })).toBe(secret);
    await expect(stat(dataDir)).rejects.toThrow("ENOENT");
  });

  it("the session secret is created once, readable by this user only, and kept", async () => {
    const config = { ...quiet, dataDir: join(await folder(), "data") };
    const secrets = await Promise.all(Array.from({ length: 20 }, () => sessionSecret(config)));
    expect(new Set(secrets).size).toBe(1);
    expect(secrets[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(await sessionSecret(config)).toBe(secrets[0]);
    expect((await stat(join(config.dataDir, "session-secret"))).mode & 0o777).toBe(0o600);
  });

  it("the session secret is never incomplete while another process writes it", async () => {
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
  it("the log hides passwords, cookies and tokens", () => {
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

  it("the log drops lines below its level", () => {
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
