import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { describe, expect, it } from "vitest";
import { importsOf } from "./house-rules.ts";

const root = new URL("./", import.meta.url);
const names = readdirSync(root, { recursive: true, encoding: "utf8" })
  .map((name) => name.replaceAll("\\", "/"))
  .filter((name) => name.endsWith(".ts"));
const imports = new Map(
  names.map((name) => [name, importsOf(readFileSync(new URL(name, root), "utf8"))]),
);
const tests = names.filter((name) => name.endsWith(".test.ts"));
const isUnitTest = (name: string) =>
  name.endsWith(".unit.test.ts") || name === "architecture.test.ts";

/** Modules that give a test a Redis or another process. */
const server =
  /^node:child_process$|^support\/world\/|^\.\.\/src\/redis\/(client|private-server)\.ts$/;

/** The servers that a test uses, itself or through its helpers. */
function serversOf(test: string): string[] {
  const seen = new Set([test]);
  for (const name of seen)
    for (const { from, typeOnly } of imports.get(name) ?? [])
      if (!typeOnly) seen.add(from.startsWith(".") ? posix.join(posix.dirname(name), from) : from);
  return [...seen].filter((name) => server.test(name));
}

describe("the test projects", () => {
  it("a unit test uses no Redis and no other process", () => {
    const wrong = tests
      .filter(isUnitTest)
      .flatMap((name) => serversOf(name).map((used) => `${name} uses ${used}`));
    expect(wrong).toEqual([]);
  });

  it("a test that uses no Redis and no other process is a unit test", () => {
    const pure = tests.filter((name) => !isUnitTest(name) && serversOf(name).length === 0);
    expect(pure).toEqual([]);
    expect(serversOf("domain/page.test.ts")).toContain("support/world/world.ts");
  });
});
