import { createHash, randomUUID } from "node:crypto";
import { availableParallelism } from "node:os";
import type sharpModule from "sharp";
import type { Sharp } from "sharp";
import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { limitConcurrency } from "../concurrency-limit.ts";
import { Invalid } from "../errors.ts";
import type { UserId } from "../ids.ts";
import { promiseRemoval } from "../promises.ts";
import { findUsers } from "./store.ts";

/** Width and height of a stored avatar; the largest shown has 80 CSS pixels. */
export const avatarSize = 192;
/** Max bytes of a stored avatar; a photo takes 4,000. */
export const avatarBytes = 16_384;
/** Max width × height of an upload. Decoded whole, as AVIF must be, it takes about 130 MB. */
const pixelLimit = 32_000_000;

/** Tried in turn until the result is small enough. Pure noise, the worst case, needs the last. */
const qualities = [82, 60, 40, 20, 5];
/** Max seconds of decoding; only a malicious picture within the limits takes longer. */
const patienceSeconds = 10;

/** Leaves a core for pages; each waiting picture takes up to 5 MB of memory. */
const inTurn = limitConcurrency({
  what: "pictures to convert",
  atOnce: Math.min(2, Math.max(1, availableParallelism() - 1)),
  queueLimit: 20,
  retryAfter: 10,
});
/** Small damage is accepted, missing parts are not. */
const failOn = "error";

/**
 * Makes an uploaded picture the user's avatar. The stored bytes are the truth; `avatar` in the user's hash
 * follows them. The chore is promised first and makes them agree if this process ends between the two writes.
 * Of two uploads at once, one wins. Throws Invalid beside `avatar`, TooMany.
 */
export async function changeAvatar(ctx: Ctx, user: UserId, upload: Buffer): Promise<void> {
  const picture = await toAvatar(upload);
  await ctx.jobs.chore("settle-avatar", { user }, "later");
  await ctx.redis.set(keys.avatar(user), picture);
  await reconcileAvatar(ctx, user);
}

/** See changeAvatar. Does nothing if there is no avatar. */
export async function removeAvatar(ctx: Ctx, user: UserId): Promise<void> {
  await promiseRemoval(ctx, () => ctx.jobs.chore("settle-avatar", { user }, "later"));
  await ctx.redis.del(keys.avatar(user));
  await reconcileAvatar(ctx, user);
}

/**
 * The chore: sets the digest in the user's hash to that of the stored picture. Deletes the picture of a user
 * who is gone.
 */
export async function reconcileAvatar(ctx: Ctx, user: UserId): Promise<void> {
  const picture = await ctx.redis.getBuffer(keys.avatar(user));
  const digest = picture === null ? "" : digestOf(picture);
  const exists = await ctx.redis.setField(keys.user(user), "avatar", digest);
  if (exists === 0) await ctx.redis.del(keys.avatar(user));
}

/** A WebP. Undefined if the stored picture has another digest, or its user is gone or suspended. */
export async function findAvatar(
  ctx: Ctx,
  user: UserId,
  digest: string,
): Promise<Buffer | undefined> {
  const [picture, users] = await Promise.all([
    ctx.redis.getBuffer(keys.avatar(user)),
    findUsers(ctx, [user]),
  ]);
  if (users.get(user)?.suspended !== false) return undefined;
  return picture !== null && digestOf(picture) === digest ? picture : undefined;
}

/** 64 bits. Who knows the uploaded picture cannot guess them: each stored picture contains a random id. */
function digestOf(picture: Buffer): string {
  return createHash("sha256").update(picture).digest("hex").slice(0, 16);
}

/**
 * A square WebP of `upload`: turned upright, cut to the middle, only the first frame, without metadata but a
 * random id. Throws Invalid beside `avatar`, TooMany while too many others wait.
 */
export async function toAvatar(upload: Buffer): Promise<Buffer> {
  if (pictureFormat(upload) === undefined) throw new Invalid({ avatar: "avatar.format" });
  return await inTurn(async () => {
    const sharp = await (loaded ??= loadSharp());
    // Pixels are counted here first: sharp would report too many pixels as a broken picture.
    const { width, height } = await orBroken(sharp(upload, { limitInputPixels: false }).metadata());
    if (width * height > pixelLimit) throw new Invalid({ avatar: "avatar.pixels" });
    const square = await orBroken(cut(sharp(upload, { limitInputPixels: pixelLimit, failOn })));
    const exif = { IFD0: { ImageDescription: randomUUID() } };
    for (const quality of qualities) {
      const webp = await orBroken(
        sharp(square.data, { raw: square.info }).webp({ quality }).withExif(exif).toBuffer(),
      );
      if (webp.length <= avatarBytes) return webp;
    }
    throw new Invalid({ avatar: "avatar.broken" });
  });
}

type Format = "jpeg" | "png" | "webp" | "gif" | "avif";

/** By content: file names and content types can be wrong. No other format reaches a decoder. */
export function pictureFormat(bytes: Buffer): Format | undefined {
  const head = bytes.toString("latin1", 0, 64);
  if (head.startsWith("\u00FF\u00D8\u00FF")) return "jpeg";
  if (head.startsWith("\u0089PNG\r\n\u001A\n")) return "png";
  if (/^GIF8[79]a/.test(head)) return "gif";
  if (/^RIFF[^]{4}WEBPVP8/.test(head)) return "webp";
  return isAvif(bytes, head) ? "avif" : undefined;
}

/** Whether the file-type box has AVIF as its brand, or as a compatible brand. */
function isAvif(bytes: Buffer, head: string): boolean {
  if (head.slice(4, 8) !== "ftyp") return false;
  const brands = head.slice(8, Math.min(bytes.readUInt32BE(0), head.length)).match(/[^]{4}/g) ?? [];
  return brands.some((brand, nth) => nth !== 1 && /^avi[fs]$/.test(brand));
}

let loaded: Promise<typeof sharpModule> | undefined;

/** Takes 20 MB and 40 ms, so it waits for the first upload. Decoders of other formats are blocked. */
async function loadSharp(): Promise<typeof sharpModule> {
  const { default: sharp } = await import("sharp");
  sharp.concurrency(1);
  sharp.cache(false);
  sharp.block({ operation: ["VipsForeignLoad"] });
  const decoders = ["Jpeg", "Png", "Webp", "Nsgif", "Heif"];
  sharp.unblock({ operation: decoders.map((one) => `VipsForeignLoad${one}Buffer`) });
  return sharp;
}

async function cut(picture: Sharp) {
  return await picture
    .autoOrient()
    .resize(avatarSize, avatarSize, { fit: "cover" })
    .flatten({ background: "#fff" })
    .toColourspace("srgb")
    .timeout({ seconds: patienceSeconds })
    .raw()
    .toBuffer({ resolveWithObject: true });
}

/** Every error of the decoder means a broken picture. */
async function orBroken<Result>(work: Promise<Result>): Promise<Result> {
  return await work.catch(() => {
    throw new Invalid({ avatar: "avatar.broken" });
  });
}
