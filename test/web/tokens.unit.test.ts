import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";

type Theme = "light" | "dark";

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

  for (const theme of ["light", "dark"] as const)
    it(`colours have enough contrast in the ${theme} theme`, () => {
      const low = pairs.flatMap(([least, inks, grounds]) =>
        inks.flatMap((ink) =>
          grounds
            .map((ground) => ({ ink, ground, contrast: contrastOf(tokens, theme, ink, ground) }))
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

function tokensIn(css: string): Map<string, Record<Theme, string>> {
  const found = css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g);
  return new Map([...found].map(([, name = "", light = "", dark = ""]) => [name, { light, dark }]));
}

/** 1 to 21, as WCAG reckons it; NaN for colours that are no tokens. */
function contrastOf(
  tokens: ReadonlyMap<string, Record<Theme, string>>,
  theme: Theme,
  ink: string,
  ground: string,
): number {
  const [one, other] = [ink, ground].map((name) => luminance(tokens.get(name)?.[theme] ?? ""));
  const [dark = NaN, light = NaN] = [one ?? NaN, other ?? NaN].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red = NaN, green = NaN, blue = NaN] = [1, 3, 5].map((start) => {
    const part = Number.parseInt(colour.slice(start, start + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
