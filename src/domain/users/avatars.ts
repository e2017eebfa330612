import { createHash, randomUUID } from "node:crypto";
import type { Sharp } from "sharp";
import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { Invalid } from "../errors.ts";
import type { UserId } from "../ids.ts";
import {
  failOn,
  inTurn,
  loadSharp,
  patienceSeconds,
  pictureFormat,
  pixelLimit,
} from "./picture-decoder.ts";
import { promiseRemoval } from "../promises.ts";
import { findUsers } from "./store.ts";

/** Width and height of a stored avatar; the largest shown has 80 CSS pixels. */
export const avatarSize = 192;
/** Max bytes of a stored avatar; a photo takes 4,000. */
export const avatarBytes = 16_384;
/** Tried in turn until the result is small enough. Pure noise, the worst case, needs the last. */
const qualities = [82, 60, 40, 20, 5];
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
  const format = pictureFormat(upload);
  if (format === undefined || format === "heic") throw new Invalid({ avatar: "avatar.format" });
  return await inTurn(async () => {
    const sharp = await loadSharp();
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
