import { randomUUID } from "node:crypto";
import { redraw, smallWebp } from "./decoder.ts";
import { fitting, listQuality } from "./picture.ts";

/** Width and height of a stored avatar; the largest shown has 80 CSS pixels. */
export const avatarSize = 192;
/** Max bytes of a stored avatar; a photo takes 4,000. */
export const avatarBytes = 16_384;
/** Pixels of a header: two device pixels for each CSS pixel of a phone, and of a column. */
export const headerSizes = {
  small: { width: 720, height: 240 },
  large: { width: 1440, height: 480 },
} as const;
/** Max bytes of its files; a photo takes half. */
const headerBytes = { small: 60_000, large: 150_000 } as const;

/** A square WebP of `upload`, cut to the middle, without metadata but a random id. Throws Invalid beside `avatar`. */
export async function drawAvatar(upload: Buffer): Promise<Buffer> {
  return await redraw(upload, "avatar", {
    cut: (picture) =>
      picture.resize(avatarSize, avatarSize, { fit: "cover" }).flatten({ background: "#fff" }),
    draw: (drawing) =>
      smallWebp(drawing, { bytes: avatarBytes, sizes: [avatarSize], id: randomUUID() }),
  });
}

/** Both sizes of an upload, cut to the middle, without metadata. Throws Invalid beside `header`. */
export async function drawHeader(upload: Buffer): Promise<{ small: Buffer; large: Buffer }> {
  return await redraw(upload, "header", {
    cut: (picture) =>
      picture.resize({ ...headerSizes.large, fit: "cover" }).flatten({ background: "#fff" }),
    async draw({ sharp, data, info: raw }) {
      const drawAt = (size: keyof typeof headerSizes) =>
        fitting(() => sharp(data, { raw }).resize(headerSizes[size]), {
          atMost: headerBytes[size],
          best: listQuality,
        });
      const [small, large] = [await drawAt("small"), await drawAt("large")];
      return { small: small.bytes, large: large.bytes };
    },
  });
}
