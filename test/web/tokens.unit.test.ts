import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { contrastBetween, type Token, tokensIn } from "../support/inspect/colours.ts";

/** What is read on what, and the least contrast of WCAG 2.2 AA between them. */
const pairs: [contrast: number, inks: string[], grounds: string[]][] = [
  [
    4.5,
    ["text", "text-quiet", "accent", "danger"],
    ["paper", "surface", "surface-hover", "accent-soft"],
  ],
  [4.5, ["text"], ["danger-soft", "good-soft"]],
  [4.5, ["on-accent"], ["accent", "accent-hover"]],
  [4.5, ["on-danger"], ["danger"]],
  [4.5, ["accent-hover"], ["paper", "surface", "surface-hover"]],
  [3, ["control-line", "focus", "accent"], ["paper", "surface", "accent-soft"]],
];

describe("the colours", async () => {
  const file = new URL("../../public/css/tokens.css", import.meta.url);
  const tokens = tokensIn(await readFile(file, "utf8"));
  const contrastOf = (theme: keyof Token, ink: string, ground: string) =>
    contrastBetween(tokens.get(ink)?.[theme] ?? "", tokens.get(ground)?.[theme] ?? "");

  for (const theme of ["light", "dark"] as const)
    it(`colours have enough contrast in the ${theme} theme`, () => {
      const low = pairs.flatMap(([least, inks, grounds]) =>
        inks.flatMap((ink) =>
          grounds
            .map((ground) => ({ ink, ground, contrast: contrastOf(theme, ink, ground) }))
            .filter(({ contrast }) => !(contrast >= least)),
        ),
      );
      expect(low).toEqual([]);
    });

  it("docs/design.md lists every colour", async () => {
    const page = await readFile(new URL("../../docs/design.md", import.meta.url), "utf8");
    const rows = page.split("\n");
    const untold = [...tokens].filter(([name, { light, dark }]) => {
      const row = rows.find((line) => line.startsWith(`| \`--${name}\``)) ?? "";
      return !row.includes(light) || !row.includes(dark);
    });
    expect(untold).toEqual([]);
  });
});
