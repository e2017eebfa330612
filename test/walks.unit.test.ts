import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { features } from "./house-rules.ts";

const root = new URL("../", import.meta.url);
const text = readFileSync(new URL("docs/architecture.md", root), "utf8");

describe("docs/architecture.md", () => {
  it("the table of folders has those of the domain in the order in which they may import each other", () => {
    const rows = [...text.matchAll(/^\| `src\/domain\/(\w+)`/gm)].map(([, folder]) => folder);
    expect(rows).toEqual(features);
  });

  it("the table of walks has the number of files of each list", () => {
    const walks = text.slice(text.indexOf("## Walks"), text.indexOf("## The frame"));
    const rows = walks.matchAll(/^\| [A-Z].*\| (\d+) +\|$/gm);
    const lists = walks.matchAll(/(?:^\d+\. .*\n)+/gm);
    const sizes = [...lists].map(([list]) => list.trimEnd().split("\n").length);
    expect(sizes).toEqual([...rows].map(([, files]) => Number(files)));
  });

  it.each(["docs/architecture.md", "CONTRIBUTING.md", "README.md"])(
    "%s names files that exist",
    (name) => {
      const page = readFileSync(new URL(name, root), "utf8");
      const named = page.matchAll(/`((?:src|test|scripts)\/[\w/-]+\.(?:ts|lua))`/g);
      const files = [...named].map(([, file = ""]) => file);
      expect(files.length).toBeGreaterThan(5);
      expect(files.filter((file) => !existsSync(new URL(file, root)))).toEqual([]);
    },
  );
});
