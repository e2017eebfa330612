import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";

const scripts = fileURLToPath(new URL("../../scripts", import.meta.url));
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true, force: true });
});

/** A project with nothing to do but, perhaps, find a Redis; and a PATH with nothing on it. */
function project(): { root: string; bin: string } {
  const root = fs.mkdtempSync(path.join(tmpdir(), "suzume-setup-"));
  folders.push(root);
  for (const name of ["setup.mjs", "setup"]) {
    fs.cpSync(path.join(scripts, name), path.join(root, "scripts", name), { recursive: true });
  }
  for (const folder of ["src", "bin", "node_modules"]) fs.mkdirSync(path.join(root, folder));
  fs.writeFileSync(path.join(root, "package-lock.json"), "{}");
  fs.writeFileSync(path.join(root, "node_modules", ".package-lock.json"), "{}");
  const bin = path.join(root, "bin");
  install(bin, "npm", 'echo "$@" >> npm.log');
  const built = setUp({ root, bin, env: { REDIS_URL: "redis://elsewhere" } });
  expect(built.stderr).toBe("suzume: building (npm run build) …\n");
  return { root, bin };
}

function install(bin: string, name: string, script: string): void {
  fs.writeFileSync(path.join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

function setUp({ root, bin, env }: { root: string; bin: string; env?: NodeJS.ProcessEnv }) {
  return spawnSync(process.execPath, [path.join(root, "scripts", "setup.mjs")], {
    cwd: root,
    env: { PATH: bin, ...env },
    encoding: "utf8",
  });
}

const silence = { status: 0, stdout: "", stderr: "" };
const redis7 = "echo Redis server v=7.2.5 sha=00000000:0 malloc=libc bits=64";

describe("setup", () => {
  it("setup is silent when there is nothing to do", () => {
    const { root, bin } = project();
    install(bin, "redis-server", redis7);
    expect(setUp({ root, bin })).toMatchObject(silence);
  });

  it("setup builds again when a source is newer", () => {
    const { root, bin } = project();
    const env = { REDIS_URL: "redis://elsewhere" };
    fs.writeFileSync(path.join(root, "src", "new.ts"), "");
    expect(setUp({ root, bin, env }).stderr).toContain("npm run build");
    expect(setUp({ root, bin, env })).toMatchObject(silence);
  });

  it("setup builds again when a stylesheet or its build step is newer", () => {
    const { root, bin } = project();
    const env = { REDIS_URL: "redis://elsewhere" };
    for (const file of ["public/css/new.css", "scripts/assets/build.mjs", "package.json"]) {
      fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
      fs.writeFileSync(path.join(root, file), "{}");
      expect(setUp({ root, bin, env }).stderr).toContain("npm run build");
      expect(setUp({ root, bin, env })).toMatchObject(silence);
    }
  });

  it("setup installs packages when the lock file is newer", () => {
    const { root, bin } = project();
    const env = { REDIS_URL: "redis://elsewhere" };
    const later = new Date(Date.now() + 60_000);
    fs.utimesSync(path.join(root, "package-lock.json"), later, later);
    expect(setUp({ root, bin, env }).stderr).toBe("suzume: installing packages (npm ci) …\n");
    expect(fs.readFileSync(path.join(root, "npm.log"), "utf8")).toContain("ci --include=dev\n");
    expect(setUp({ root, bin, env })).toMatchObject(silence);
  });

  it("setup shows the compiler's output when the build fails", () => {
    const { root, bin } = project();
    install(bin, "npm", "echo 'new.ts(1,1): no such thing' && exit 2");
    fs.writeFileSync(path.join(root, "src", "new.ts"), "");
    const result = setUp({ root, bin });
    expect(result.status).toBe(1);
    expect(result.stderr).toContain("new.ts(1,1): no such thing");
    expect(result.stderr).not.toContain("    at ");
  });

  it("setup names the remedies where no Redis is available", () => {
    const result = setUp(project());
    expect(result.status).toBe(1);
    for (const remedy of ["apt-get install", "brew install", "dnf install", "docker", "REDIS_URL"])
      expect(result.stderr).toContain(remedy);
    expect(result.stderr).not.toContain("    at ");
  });

  it("setup refuses a Redis that is too old", () => {
    const { root, bin } = project();
    install(bin, "redis-server", redis7.replace("7.2.5", "6.2.14"));
    const result = setUp({ root, bin });
    expect(result.stderr).toContain("version 6.2.14, too old");
    expect(result.status).toBe(1);
  });

  it("setup accepts Valkey as a Redis", () => {
    const { root, bin } = project();
    install(bin, "valkey-server", "echo Valkey server v=8.0.1 sha=00000000:0 malloc=libc");
    expect(setUp({ root, bin })).toMatchObject(silence);
  });

  it("setup names the remedy where apt-get cannot download", () => {
    const { root, bin } = project();
    for (const name of ["dpkg-deb", "dpkg-query"]) install(bin, name, "exit 0");
    install(bin, "apt-get", '[ "$1" = --version ] || { echo E: no such package; exit 100; }');
    const result = setUp({ root, bin });
    expect(result.status).toBe(1);
    expect(result.stderr).toContain("E: no such package");
    expect(result.stderr).toContain("apt-get update");
    expect(fs.readdirSync(path.join(root, ".cache"))).toEqual([]);
  });

  it("setup looks for no Redis when REDIS_URL is set, in the environment or in .env", () => {
    const { root, bin } = project();
    expect(setUp({ root, bin, env: { REDIS_URL: "redis://elsewhere" } })).toMatchObject(silence);
    fs.writeFileSync(path.join(root, ".env"), 'REDIS_TLS_URL="rediss://elsewhere"\n');
    expect(setUp({ root, bin })).toMatchObject(silence);
  });

  it("setup does nothing on a Heroku dyno", () => {
    const { root, bin } = project();
    fs.rmSync(path.join(root, "dist"), { recursive: true });
    expect(setUp({ root, bin, env: { DYNO: "web.1" } })).toMatchObject(silence);
  });
});
