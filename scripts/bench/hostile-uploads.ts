import { randomBytes } from "node:crypto";
import { deflateSync } from "node:zlib";
import sharp from "sharp";
import { photo, picture, pngBomb } from "../../test/support/data/pictures.ts";

/** Max bytes of a picture that the site takes. */
const mostBytes = 5_000_000;
/** A square of the largest number of pixels that is allowed. */
const side = 5650;

/**
 * Files that cost a careless site much: each within the limits of bytes, some far over those of pixels. `share` of each
 * side of those that are converted, and of their frames.
 */
export async function hostileUploads(share: number): Promise<Buffer[]> {
  const largest = Math.round(side * share);
  const plain = await picture("png");
  const large = sharp({
    create: { width: largest, height: largest, channels: 3, background: "#c0392b" },
    limitInputPixels: false,
  });
  const still = await picture("jpeg", { width: 3000 * share, height: 2000 * share });
  return [
    // Bombs: some kilobytes of file, a gigabyte of pixels and more.
    pngBomb(40_000, 40_000),
    pngBomb(65_000, 65_000),
    withChunk(plain, "zTXt", deflateSync(Buffer.alloc(100_000_000))),
    // As many pixels as are allowed.
    await large.clone().png().toBuffer(),
    await large.clone().jpeg({ progressive: true }).toBuffer(),
    await large.clone().webp({ lossless: true, effort: 0 }).toBuffer(),
    await noisy(1200 * share),
    // Moving: many frames within the limits, and very many beyond.
    await moving(200 * share, 400),
    await moving(2000, 40),
    // Polyglots, and files of other kinds.
    Buffer.concat([plain, Buffer.from("PK\u0003\u0004<script>alert(1)</script>")]),
    Buffer.concat([Buffer.from("GIF89a/*"), randomBytes(100_000), Buffer.from("*/=alert(1)")]),
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>'),
    await picture("tiff"),
    // Broken: cut off, and with wrong bytes in the middle.
    still.subarray(0, still.length / 2),
    scrambled(still),
    Buffer.concat([Buffer.from("\u00FF\u00D8\u00FF", "latin1"), randomBytes(mostBytes - 3)]),
    // With a place and a name; an honest photo.
    await photo(),
    await honest(share),
  ].filter((bytes) => bytes.length <= mostBytes);
}

/** A photo as a phone takes it: twelve million pixels. */
async function honest(share: number): Promise<Buffer> {
  const noise = { type: "gaussian", mean: 128, sigma: 12 } as const;
  return await sharp({
    create: { width: 4000 * share, height: 3000 * share, channels: 3, background: "#888", noise },
  })
    .blur(3)
    .jpeg({ quality: 85 })
    .toBuffer();
}

/** Pure noise: nothing is larger once it is compressed. */
async function noisy(size: number): Promise<Buffer> {
  const raw = { width: size, height: size, channels: 3 } as const;
  return await sharp(randomBytes(size * size * 3), { raw })
    .png({ compressionLevel: 1 })
    .toBuffer();
}

async function moving(frames: number, size: number): Promise<Buffer> {
  const data = Buffer.alloc(size * size * 3 * frames);
  for (let frame = 0; frame < frames; frame += 1)
    data.fill(frame % 256, frame * size * size * 3, (frame + 1) * size * size * 3);
  const raw = { width: size, height: size * frames, channels: 3, pageHeight: size } as const;
  return await sharp(data, { raw, limitInputPixels: false }).gif({ effort: 1 }).toBuffer();
}

function scrambled(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  randomBytes(2000).copy(copy, copy.length / 3);
  return copy;
}

/** A PNG with one more chunk behind its header; wrong checksums of such chunks are forgiven. */
function withChunk(png: Buffer, type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const chunk = Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)]);
  const headerEnd = 33;
  return Buffer.concat([png.subarray(0, headerEnd), chunk, png.subarray(headerEnd)]);
}
