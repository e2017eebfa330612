import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

interface Locked {
  version?: string;
  integrity?: string;
  resolved?: string;
  hasInstallScript?: boolean;
  link?: boolean;
}

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), "utf8")) as Record<
    string,
    Record<string, unknown>
  >;
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
    const setup = readFileSync(
      new URL("../../scripts/setup/packages.mjs", import.meta.url),
      "utf8",
    );
    expect(setup).toContain('"--ignore-scripts"');
  });
});
