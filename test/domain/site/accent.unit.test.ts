import { readFile } from "node:fs/promises";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { day, night, type Palette, palettesOf } from "../../../src/domain/site/accent.ts";
import { contrastBetween, tokensIn } from "../../support/inspect/colours.ts";
import { runs } from "../../support/models/property-runs.ts";

const tokens = tokensIn(
  await readFile(new URL("../../../public/css/tokens.css", import.meta.url), "utf8"),
);
const themes = [
  ["day", "light", day],
  ["night", "dark", night],
] as const;
const colour = fc.integer({ min: 0, max: 0xff_ff_ff }).map((one) => hex(one));

const tokensOf = (theme: "light" | "dark", names: string[]) =>
  names.map((name) => tokens.get(name)?.[theme]);

describe("the accent of a site", () => {
  it("an accent is checked against the colours that pages have", () => {
    for (const [, theme, { grounds, inks }] of themes) {
      expect(grounds).toEqual(tokensOf(theme, ["paper", "surface", "surface-hover"]));
      expect(inks.map(([ink]) => ink)).toEqual(
        tokensOf(theme, ["text", "text-quiet", "danger", "control-line", "focus"]),
      );
    }
  });

  it("everything can be read with any accepted accent, in both themes", () => {
    const low: unknown[] = [];
    let accepted = 0;
    fc.assert(
      fc.property(colour, (accent) => {
        const palettes = palettesOf(accent);
        if (palettes === undefined) return;
        accepted += 1;
        for (const [name, theme] of themes)
          low.push(
            ...pairsIn(palettes[name], theme)
              .map(([ink, ground, least]) => ({ accent, ink, ground, least }))
              .filter(({ ink, ground, least }) => contrastBetween(ink, ground) < least),
          );
      }),
      runs(2000),
    );
    expect(low).toEqual([]);
    expect(accepted).toBeGreaterThan(5);
  });

  it("an accent is refused exactly where its contrast to a light page is below 4.5", () => {
    fc.assert(
      fc.property(colour, (accent) => {
        const worst = Math.min(...day.grounds.map((ground) => contrastBetween(accent, ground)));
        expect([accent, palettesOf(accent) !== undefined]).toEqual([accent, worst >= 4.5]);
      }),
      runs(2000),
    );
  });

  it("by day an accent is as it was chosen, and its notices have a tint of it", () => {
    const { day: shown, night: dark } = palettesOf("#1d5fa8") ?? {};
    expect(shown?.accent).toBe("#1d5fa8");
    expect(day.grounds).not.toContain(shown?.soft);
    expect(night.grounds).not.toContain(dark?.soft);
  });
});

/** What is read on what, and the least contrast of WCAG 2.2 AA between them, as in tokens.unit.test.ts. */
function pairsIn({ accent, hover, on, soft }: Palette, theme: "light" | "dark") {
  const token = (name: string) => tokens.get(name)?.[theme] ?? "";
  const grounds = ["paper", "surface", "surface-hover"].map((name) => token(name));
  const pairs: [ink: string, ground: string, least: number][] = [
    [on, accent, 4.5],
    [on, hover, 4.5],
    [accent, soft, 4.5],
    ...grounds.flatMap((ground): [string, string, number][] => [
      [accent, ground, 4.5],
      [hover, ground, 4.5],
    ]),
    ...["text", "text-quiet", "danger"].map((ink): [string, string, number] => [
      token(ink),
      soft,
      4.5,
    ]),
    ...["control-line", "focus"].map((ink): [string, string, number] => [token(ink), soft, 3]),
  ];
  return pairs;
}

function hex(number: number): string {
  return `#${number.toString(16).padStart(6, "0")}`;
}
