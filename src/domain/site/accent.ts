/** Colours that follow from an accent in one theme; public/css/tokens.css has Suzume's own. */
export type Palette = NonNullable<ReturnType<typeof paletteIn>>;

/** What a theme has beside the accent, as in tokens.css. */
interface Theme {
  /** All that the accent is read on. */
  grounds: readonly string[];
  /** All that is read on `soft`, with its least contrast. */
  inks: readonly (readonly [colour: string, contrast: number])[];
  /** Parts of the accent that was chosen in `soft`, best first. */
  tints: readonly number[];
}

/** Least contrast of a text, and of signs and borders, by WCAG 2.2 AA. */
const readable = 4.5;
const visible = 3;

function inksOf(texts: readonly string[], signs: readonly string[]): Theme["inks"] {
  return [
    ...texts.map((text) => [text, readable] as const),
    ...signs.map((sign) => [sign, visible] as const),
  ];
}

export const day: Theme = {
  grounds: ["#f8f3ec", "#fffdfa", "#f9f3ea"],
  inks: inksOf(["#2a1f18", "#6b5b50", "#b3261e"], ["#8d7c6e", "#1f5fbf"]),
  tints: [0.13, 0.1, 0.07, 0.04, 0.02],
};

export const night: Theme = {
  grounds: ["#16110d", "#1e1813", "#262019"],
  inks: inksOf(["#f3eae0", "#b5a596", "#ff9d92"], ["#85766a", "#8ec0ff"]),
  tints: [0.25, 0.2, 0.15, 0.1, 0.05],
};

/** Contrast of the accent at night: bright, as no colour that is readable by day is. */
const brightness = 6.5;

/** The colours for an accent #rrggbb: by day itself, at night a lighter form. Undefined if it cannot be read by day. */
export function palettesOf(accent: string): { day: Palette; night: Palette } | undefined {
  const dark = { accent, hover: mix(accent, "#000000", 0.2), on: "#ffffff" };
  const lit = lighten(accent);
  const light = { accent: lit, hover: mix(lit, "#ffffff", 0.3), on: mix("#000000", accent, 0.15) };
  const byDay = paletteIn(day, accent, dark);
  const atNight = paletteIn(night, accent, light);
  return byDay && atNight && { day: byDay, night: atNight };
}

/** `hover`: under the pointer; `on`: words on it; `soft`: behind notices, badges. Undefined if any cannot be read. */
function paletteIn(
  { grounds, inks, tints }: Theme,
  chosen: string,
  { accent, hover, on }: Record<"accent" | "hover" | "on", string>,
) {
  const isReadable = [accent, hover].every(
    (one) =>
      contrast(on, one) >= readable && grounds.every((ground) => contrast(one, ground) >= readable),
  );
  if (!isReadable) return undefined;
  const [, surface = ""] = grounds;
  const all = [...inks, [accent, readable] as const];
  const soft = tints
    .map((part) => mix(surface, chosen, part))
    .find((tint) => all.every(([ink, least]) => contrast(ink, tint) >= least));
  // On a bare panel all of them are readable.
  return { accent, hover, on, soft: soft ?? surface };
}

/** Adds the least white with which the accent is readable at night. */
function lighten(accent: string): string {
  for (let white = 0; white < 1; white += 0.02) {
    const lighter = mix(accent, "#ffffff", white);
    if (night.grounds.every((ground) => contrast(lighter, ground) >= brightness)) return lighter;
  }
  return "#ffffff";
}

/** `part` of `other` in `colour`: 0 to 1. */
function mix(colour: string, other: string, part: number): string {
  const theirs = partsOf(other);
  const mixed = partsOf(colour).map((own, nth) => own + ((theirs[nth] ?? 0) - own) * part);
  return `#${mixed.map((one) => Math.round(one).toString(16).padStart(2, "0")).join("")}`;
}

/** 1 to 21, as WCAG reckons it. */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = partsOf(colour).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Red, green and blue of #rrggbb, 0 to 255. */
function partsOf(colour: string): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16));
}
