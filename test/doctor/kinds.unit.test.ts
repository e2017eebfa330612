import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const root = new URL("../../", import.meta.url);
const textOf = (name: string) => readFileSync(new URL(name, root), "utf8");

it("docs/doctor.md has every kind of finding", () => {
  const sources = readdirSync(new URL("src/doctor", root)).map((name) =>
    textOf(`src/doctor/${name}`),
  );
  // Names of properties that need quotation marks: the kinds of two words and more.
  const named = sources.flatMap((text) => [
    ...text.matchAll(/^\s*(?:faults: \{ )?"([a-z]+(?:-[a-z]+)+)"[:(]/gm),
  ]);
  const kinds = named.map(([, kind = ""]) => kind.replace(/^server-.*/, "server-…"));
  expect(new Set(kinds).size).toBeGreaterThan(40);
  const page = textOf("docs/doctor.md");
  expect([...new Set(kinds)].filter((kind) => !page.includes(`\`${kind}\``))).toEqual([]);
});
