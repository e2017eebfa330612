import type sharpModule from "sharp";
import type { OutputInfo, Sharp } from "sharp";
import { Invalid } from "../errors.ts";

/** Max width × height of an upload. Decoded whole, as AVIF must be, it takes about 130 MB. */
export const pixelLimit = 32_000_000;

/** Tried in turn until a WebP is small enough. Pure noise, the worst case, needs the last. */
const qualities = [82, 60, 40, 20, 5];
/** Max seconds of a step. Only a malicious picture takes longer, or any on a machine that is very busy. */
export const patienceSeconds = 30;

/** Small damage is accepted, missing parts are not. */
export const failOn = "error";

/** Decoded pixels, from which pictures are drawn. */
export interface Drawing {
  sharp: typeof sharpModule;
  data: Buffer;
  info: OutputInfo;
}

/**
 * Decodes an uploaded picture as `cut` shapes it, turned upright, only the first frame, without metadata; `draw`
 * makes new pictures of the pixels. Throws Invalid beside `field`.
 */
export async function redraw<Result>(
  upload: Buffer,
  field: string,
  { cut, draw }: { cut(picture: Sharp): Sharp; draw(drawing: Drawing): Promise<Result> },
): Promise<Result> {
  const format = pictureFormat(upload);
  if (format === undefined || format === "heic") throw new Invalid({ [field]: "avatar.format" });
  try {
    const sharp = await loadSharp();
    // Pixels are counted here first: sharp would report too many pixels as a broken picture.
    const { width, height } = await sharp(upload, { limitInputPixels: false }).metadata();
    if (width * height > pixelLimit) throw new Invalid({ [field]: "avatar.pixels" });
    const picture = sharp(upload, { limitInputPixels: pixelLimit, failOn }).autoOrient();
    const pixels = await cut(picture)
      .toColourspace("srgb")
      .timeout({ seconds: patienceSeconds })
      .raw()
      .toBuffer({ resolveWithObject: true });
    return await draw({ sharp, ...pixels });
  } catch (error) {
    // Every other error of the decoder means a broken picture.
    throw error instanceof Invalid ? error : new Invalid({ [field]: "avatar.broken" });
  }
}

/**
 * A WebP of at most `bytes`, as large as one of `sizes`, best first. Its only metadata is `id`. Throws if there is
 * none.
 */
export async function smallWebp(
  { sharp, data, info: raw }: Drawing,
  { bytes, sizes, id }: { bytes: number; sizes: readonly number[]; id?: string },
): Promise<Buffer> {
  for (const size of sizes)
    for (const quality of qualities) {
      const picture = sharp(data, { raw }).resize(size, size);
      if (id !== undefined) picture.withExif({ IFD0: { ImageDescription: id } });
      const webp = await picture.webp({ quality, alphaQuality: quality }).toBuffer();
      if (webp.length <= bytes) return webp;
    }
  throw new Error("no size is small enough");
}

/** By content: file names and content types can be wrong. No other format reaches a decoder. */
export function pictureFormat(bytes: Buffer) {
  const head = bytes.toString("latin1", 0, 64);
  if (head.startsWith("\u00FF\u00D8\u00FF")) return "jpeg";
  if (head.startsWith("\u0089PNG\r\n\u001A\n")) return "png";
  if (/^GIF8[79]a/.test(head)) return "gif";
  if (/^RIFF[^]{4}WEBPVP8/.test(head)) return "webp";
  return heifFormat(bytes, head);
}

/** By the brands of the file-type box: AVIF is the same container as HEIC. */
function heifFormat(bytes: Buffer, head: string): "avif" | "heic" | undefined {
  if (head.slice(4, 8) !== "ftyp") return undefined;
  const brands = head.slice(8, Math.min(bytes.readUInt32BE(0), head.length)).match(/[^]{4}/g) ?? [];
  const has = (form: RegExp) => brands.some((brand, nth) => nth !== 1 && form.test(brand));
  if (has(/^avi[fs]$/)) return "avif";
  return has(/^hei[csmx]$|^hev[cmx]$/) ? "heic" : undefined;
}

let loaded: Promise<typeof sharpModule> | undefined;

/** Takes 20 MB and 40 ms, so it waits for the first upload. Decoders of other formats are blocked. */
export async function loadSharp(): Promise<typeof sharpModule> {
  return await (loaded ??= load().catch((error: unknown) => {
    // A package that is away while it is installed anew is looked for again.
    loaded = undefined;
    throw error;
  }));
}

async function load(): Promise<typeof sharpModule> {
  const { default: sharp } = await import("sharp");
  sharp.concurrency(1);
  sharp.cache(false);
  sharp.block({ operation: ["VipsForeignLoad"] });
  const decoders = ["Jpeg", "Png", "Webp", "Nsgif", "Heif"];
  sharp.unblock({ operation: decoders.map((one) => `VipsForeignLoad${one}Buffer`) });
  return sharp;
}
