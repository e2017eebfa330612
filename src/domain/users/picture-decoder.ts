import { availableParallelism } from "node:os";
import type sharpModule from "sharp";
import { limitConcurrency } from "../concurrency-limit.ts";

/** Max width × height of an upload. Decoded whole, as AVIF must be, it takes about 130 MB. */
export const pixelLimit = 32_000_000;
/** Max seconds of decoding; only a malicious picture within the limits takes longer. */
export const patienceSeconds = 10;
/** Small damage is accepted, missing parts are not. */
export const failOn = "error";

/** Leaves a core for pages; each waiting picture takes up to 5 MB of memory. */
export const inTurn = limitConcurrency({
  what: "pictures to convert",
  atOnce: Math.min(2, Math.max(1, availableParallelism() - 1)),
  queueLimit: 20,
  retryAfter: 10,
});

export type PictureFormat = "jpeg" | "png" | "webp" | "gif" | "avif" | "heic";

/** By content: file names and content types can be wrong. No other format reaches a decoder. */
export function pictureFormat(bytes: Buffer): PictureFormat | undefined {
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
  return await (loaded ??= load());
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
