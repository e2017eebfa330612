import { randomInt } from "node:crypto";
import { encode } from "blurhash";
import type sharpModule from "sharp";
import type { Sharp } from "sharp";
import { Invalid, type Problem } from "../errors.ts";
import { failOn, loadSharp, patienceSeconds, pictureFormat, pixelLimit } from "./decoder.ts";

/** Max width and height: two device pixels for each CSS pixel of half a column and a whole one, and a whole screen. */
const tinySize = { width: 480, height: 600 } as const;
const smallSize = { width: 960, height: 1200 } as const;
const largeSize = { width: 2048, height: 2048 } as const;
/** How many times larger `small` has to be for a `tiny` beside it. */
const worthwhile = 1.5;
/** The same for pictures that move: each frame costs as much as a picture. */
const movingSize = { width: 640, height: 640 } as const;
/** Max frames of a moving picture: 20 seconds of 25. */
const frameLimit = 500;
/** Max bytes of a file. Qualities are tried in turn until it fits. */
const fileBytes = 2_000_000;
const qualities = [78, 60, 40, 20];
const lowestQuality = 20;
const movingEffort = 2;
/** Frames of a moving picture that are drawn to estimate the size of all. */
const sampleFrames = 16;
/** An estimate may be wrong: a few frames can be busier than all others. */
const estimateMargin = 2;
/** Of sizes for lists, which a phone shows with more pixels than readers can see. */
export const listQuality = 62;
/** Max pixels on a side of what is shown while the picture loads. */
const blurSize = 8;
const hashSize = 32;

/** A WebP with its dimensions. */
export interface Drawn {
  bytes: Buffer;
  width: number;
  height: number;
}

/**
 * All sizes of an upload: turned upright, in sRGB, without metadata, not enlarged. Throws Invalid beside
 * `picture`.
 */
export async function drawPicture(upload: Buffer) {
  const format = pictureFormat(upload);
  if (format === undefined) throw refused("picture.format");
  const sharp = await loadSharp();
  return await convert(sharp, upload).catch((error: unknown) => {
    // Every other error of the decoder means a broken picture; of HEIC, that this sharp cannot read it.
    throw error instanceof Invalid
      ? error
      : refused(format === "heic" ? "picture.heic" : "picture.broken");
  });
}

async function convert(sharp: typeof sharpModule, upload: Buffer) {
  // Pixels are counted here first: sharp would report too many pixels as a broken picture.
  const about = await sharp(upload, { limitInputPixels: false, animated: true }).metadata();
  const frames = about.pages ?? 1;
  const pixels = about.width * (about.pageHeight ?? about.height) * frames;
  if (pixels > pixelLimit || frames > frameLimit) throw refused("picture.pixels");
  const open = (animated: boolean) =>
    sharp(upload, { limitInputPixels: pixelLimit, failOn, animated }).timeout({
      seconds: patienceSeconds,
    });
  const moves = frames > 1 && (about.format === "gif" || about.format === "webp");
  const tries = moves ? await qualitiesFor(sharp, upload, frames) : [];
  const first = await inside(open(false).autoOrient(), largeSize)
    .toColourspace("srgb")
    .raw()
    .toBuffer({ resolveWithObject: true });
  const still = () => sharp(first.data, { raw: first.info });
  const large = moves
    ? await fitting(() => inside(open(true), movingSize), { effort: movingEffort, tries })
    : await fitting(still);
  const forLists = { best: listQuality };
  const { width, height } = first.info;
  const isSmall = !moves && width <= smallSize.width && height <= smallSize.height;
  const small = isSmall ? large : await fitting(() => inside(still(), smallSize), forLists);
  const larger = Math.max(small.width / tinySize.width, small.height / tinySize.height);
  return {
    /** Undefined where `small` is little larger, and for pictures that move. */
    tiny:
      !moves && larger >= worthwhile
        ? await fitting(() => inside(still(), tinySize), forLists)
        : undefined,
    small,
    large,
    moving: moves,
    blur: await blurOf(still()),
    hash: await hashOf(still()),
  };
}

/**
 * The qualities to try for a moving picture, at most two: drawing all frames takes seconds, so their size is
 * estimated first. Throws Invalid if even the lowest quality cannot be small enough. The sample is random, so that
 * no file can be quiet there and loud elsewhere.
 */
async function qualitiesFor(sharp: typeof sharpModule, upload: Buffer, frames: number) {
  const pages = Math.min(frames, sampleFrames);
  const page = randomInt(frames - pages + 1);
  const estimate = async (quality: number) => {
    const sample = sharp(upload, { limitInputPixels: pixelLimit, failOn, page, pages });
    const options = { quality, effort: movingEffort };
    const bytes = await inside(sample, movingSize).webp(options).toBuffer();
    return (bytes.length / pages) * frames;
  };
  if ((await estimate(lowestQuality)) > estimateMargin * fileBytes) throw refused("picture.pixels");
  for (const quality of qualities)
    if ((await estimate(quality)) <= fileBytes) return [quality, lowestQuality];
  return [lowestQuality];
}

function inside(picture: Sharp, size: { width: number; height: number }): Sharp {
  return picture.resize({ ...size, fit: "inside", withoutEnlargement: true });
}

/** With the highest quality that is small enough. */
export async function fitting(
  render: () => Sharp,
  { effort = 4, atMost = fileBytes, best = 100, tries = qualities } = {},
): Promise<Drawn> {
  for (const most of tries) {
    const quality = Math.min(most, best);
    const { data, info } = await render()
      .webp({ quality, effort })
      .toBuffer({ resolveWithObject: true });
    const height = info.pageHeight ?? info.height;
    if (data.length <= atMost) return { bytes: data, width: info.width, height };
  }
  throw refused("picture.pixels");
}

async function blurOf(picture: Sharp): Promise<string> {
  const size = { width: blurSize, height: blurSize };
  const webp = await inside(picture, size).webp({ quality: 40 }).toBuffer();
  return webp.toString("base64");
}

async function hashOf(picture: Sharp): Promise<string> {
  const { data, info } = await inside(picture, { width: hashSize, height: hashSize })
    .flatten({ background: "#fff" })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return encode(new Uint8ClampedArray(data), info.width, info.height, 4, 3);
}

function refused(problem: Problem): Invalid {
  return new Invalid({ picture: problem });
}
