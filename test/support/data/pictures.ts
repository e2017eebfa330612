import { crc32, deflateSync } from "node:zlib";
import sharp from "sharp";

/** Default of all pictures below. */
const create = { width: 600, height: 400, channels: 3, background: "#c0392b" } as const;

/** An AVIF takes seconds otherwise, whatever is in it. */
const quick = { effort: 1 };

export async function picture(
  format: "jpeg" | "png" | "webp" | "gif" | "avif" | "tiff",
  size: { width?: number; height?: number } = {},
): Promise<Buffer> {
  return await sharp({ create: { ...create, ...size } })
    .toFormat(format, format === "avif" ? quick : {})
    .toBuffer();
}

/** A phone's photo: rotated, red above green once upright, with a location. */
export async function photo(): Promise<Buffer> {
  const green = { ...create, width: 300, background: "#27ae60" };
  return await sharp({ create })
    .composite([{ input: await sharp({ create: green }).png().toBuffer(), left: 300, top: 0 }])
    .withExif({
      IFD0: { Make: "SecretPhone", Copyright: "somebody", Orientation: "6" },
      IFD3: { GPSLatitudeRef: "N", GPSLatitude: "35/1 41/1 22/1", GPSLongitude: "139/1 41/1 30/1" },
    })
    .withMetadata({ orientation: 6 })
    .withXmp("<x:xmpmeta xmlns:x='adobe:ns:meta/'><secret-xmp/></x:xmpmeta>")
    .jpeg()
    .toBuffer();
}

/** The worst case for compression. */
export async function noise(): Promise<Buffer> {
  const size = 256;
  const bytes = Buffer.from(Array.from({ length: size * size * 3 }, () => Math.random() * 256));
  return await sharp(bytes, { raw: { width: size, height: size, channels: 3 } })
    .png()
    .toBuffer();
}

/** A moving WebP of 15 kB whose frames are noise: drawn anew, it has megabytes. */
export async function noisyFilm(frames = 100): Promise<Buffer> {
  const [size, tile] = [256, 16];
  const raw = Buffer.alloc(size * size * frames);
  for (let frame = 0; frame < frames; frame += 1) {
    const noisy = Array.from({ length: tile * tile }, () => (Math.random() < 0.5 ? 0 : 255));
    for (let at = 0; at < size * size; at += 1) {
      const [x, y] = [at % size, Math.floor(at / size)];
      raw[frame * size * size + at] = noisy[(y % tile) * tile + (x % tile)] ?? 0;
    }
  }
  const about = { width: size, height: size * frames, channels: 1, pageHeight: size } as const;
  return await sharp(raw, { raw: about })
    .toColourspace("srgb")
    .webp({ lossless: true, effort: 0, delay: Array.from({ length: frames }, () => 40) })
    .toBuffer();
}

/** A PNG of a few kilobytes with this number of pixels. */
export function pngBomb(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([1, 0, 0, 0, 0], 8);
  const rows = deflateSync(Buffer.alloc((Math.ceil(width / 8) + 1) * Math.min(height, 20_000)));
  return Buffer.concat([
    Buffer.from("\u0089PNG\r\n\u001A\n", "latin1"),
    chunk("IHDR", header),
    chunk("IDAT", rows),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const frame = Buffer.alloc(body.length + 8);
  frame.writeUInt32BE(data.length, 0);
  frame.set(body, 4);
  frame.writeUInt32BE(crc32(body), body.length + 4);
  return frame;
}
