import { encode } from "uqr";

export interface QrView {
  viewBox: string;
  /** SVG path of all dark modules. */
  path: string;
}

/** A QR code for an svg element, one unit a module. Its border of two modules is part of it. */
export function presentQr(text: string): QrView {
  const { size, data } = encode(text, { ecc: "M", border: 2 });
  const path = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return { viewBox: `0 0 ${size} ${size}`, path: path.join("") };
}
