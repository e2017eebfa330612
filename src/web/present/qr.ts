import { encode } from "uqr";

export interface QrView {
  /** Side of the square, in modules. */
  size: number;
  /** SVG path of all dark modules. */
  path: string;
}

/** A QR code as a path, for an svg element of `size` × `size`. Its border of two modules is part of it. */
export function presentQr(text: string): QrView {
  const { size, data } = encode(text, { ecc: "M", border: 2 });
  const path = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return { size, path: path.join("") };
}
