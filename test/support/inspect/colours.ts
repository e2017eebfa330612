/** A colour of public/css/tokens.css in both themes. */
export type Token = Record<"light" | "dark", string>;

export function tokensIn(css: string): Map<string, Token> {
  const found = css.matchAll(/--([\w-]+): ?light-dark\((#[0-9a-f]{6}), ?(#[0-9a-f]{6})\)/g);
  return new Map([...found].map(([, name = "", light = "", dark = ""]) => [name, { light, dark }]));
}

/** 1 to 21, as WCAG reckons it; NaN for anything but #rrggbb. */
export function contrastBetween(one: string, other: string): number {
  const [dark = NaN, light = NaN] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red = NaN, green = NaN, blue = NaN] = [1, 3, 5].map((start) => {
    const part = Number.parseInt(colour.slice(start, start + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
