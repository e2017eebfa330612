import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

interface Locked {
  version?: string;
  integrity?: string;
  resolved?: string;
  hasInstallScript?: boolean;
  link?: boolean;
}

const textOf = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), "utf8");
const read = (name: string) => JSON.parse(textOf(name)) as Record<string, Record<string, unknown>>;
const nameOf = (path: string) => path.replace(/^.*node_modules\//, "");
const lock = Object.entries(read("package-lock.json")["packages"] as Record<string, Locked>);
const locked = lock.filter(([path]) => path !== "");

describe("the lock file", () => {
  it("the lock file fixes every package to a version and the digest of its content", () => {
    expect(locked.length).toBeGreaterThan(100);
    for (const [path, { version, integrity }] of locked) {
      expect([path, version]).toEqual([path, expect.stringMatching(/^\d+\.\d+\.\d+/)]);
      expect([path, integrity]).toEqual([path, expect.stringMatching(/^sha512-/)]);
    }
  });

  it("the lock file names no registry", () => {
    expect(locked.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });

  it("the lock file has no package with an install script except those that work without it", () => {
    const scripted = locked.filter(([, one]) => one.hasInstallScript === true);
    const known = read("package.json")["allowScripts"] ?? {};
    expect(scripted.map(([path]) => nameOf(path)).toSorted()).toEqual(
      Object.keys(known).toSorted(),
    );
    expect(Object.values(known)).toEqual(Object.values(known).map(() => false));
  });

  it("any npm version installs the packages without running scripts", () => {
    expect(textOf(".npmrc").split("\n")).toContain("ignore-scripts=true");
    // Docker installs without the rest of the project.
    expect(textOf("Dockerfile")).toMatch(/^COPY package\.json package-lock\.json \.npmrc /m);
  });

  it("no command of the project is a pre or post script, as npm skips these as well", () => {
    const names = Object.keys(read("package.json")["scripts"] ?? {});
    const hooks = new Set(names.flatMap((name) => [`pre${name}`, `post${name}`]));
    expect(names.filter((name) => hooks.has(name))).toEqual([]);
    expect(
      names.filter((name) => /^(pre|post)?(install|pack|publish)|^prepare/.test(name)),
    ).toEqual([]);
  });

  it("every command that runs programs or tests sets up what they need first", () => {
    const commands = Object.entries(read("package.json")["scripts"] ?? {}) as [string, string][];
    const needy = commands.filter(([, command]) => /\b(node dist|tsx|vitest)\b/.test(command));
    expect(needy.length).toBeGreaterThan(10);
    for (const [name, command] of needy)
      expect([name, command]).toEqual([
        name,
        expect.stringMatching(/^node scripts\/setup\.mjs && /),
      ]);
  });
});
