import { buffer } from "node:stream/consumers";
import type { ConversionWork, Ctx, PictureWork } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import type { Storage } from "../../storage/storage.ts";
import { contentDigest } from "../drawing/draw.ts";
import type { Drawn } from "../drawing/picture.ts";
import { Invalid } from "../errors.ts";
import { charge } from "../users/payer.ts";
import { drawFor } from "../users/avatars.ts";
import type { Made } from "./picture.ts";
import { countPicture, uncountPictures } from "./stored-bytes.ts";
import { findUploads } from "./uploads.ts";
import { madeField, originalOf, removeFiles, storeFile } from "./files.ts";

/**
 * The job promised by addUpload: stores both sizes and notes them, or why there are none. Queues take turns, so that
 * an import does not delay tweets. May run twice.
 */
export async function prepareUpload(
  ctx: Ctx,
  work: ConversionWork,
  queue: "tweets" | "imports" = "tweets",
): Promise<void> {
  const { storage } = ctx;
  if (storage === undefined) throw new Error("this process has no storage of pictures");
  const original = originalOf(work);
  const [known] = await findUploads(ctx, work.user, [work.upload]);
  if (known !== undefined && known.made === undefined) {
    // Drawing costs the user's time of the day, also if it is repeated because the result could not be kept.
    await storage.check();
    const file = await storage.find(original);
    const bytes = file && (await buffer(await file.read()));
    const made: Made = bytes
      ? await make(ctx, storage, { work, bytes, queue })
      : { problem: "picture.gone" };
    await note(ctx, work, made);
  }
  await storage.remove(original);
}

async function make(
  ctx: Ctx,
  storage: Storage,
  { work, bytes, queue }: { work: ConversionWork; bytes: Buffer; queue: string },
): Promise<Made> {
  try {
    const order = { what: "picture", upload: bytes, queue } as const;
    const { tiny, small, large, moving, blur, hash } = await drawFor(ctx, work.user, order);
    const stored = bytesOf([tiny, small, large]);
    if (!(await countPicture(ctx, work, stored))) return { problem: "picture.quota" };
    const [tinyFile, smallFile, largeFile] = await Promise.all([
      tiny && storeFile(storage, work, tiny),
      storeFile(storage, work, small),
      storeFile(storage, work, large),
    ]);
    await charge(ctx, "pictureKilobyte", work, Math.ceil(stored / 1000));
    const files = { small: smallFile, large: largeFile, blur, hash, tiny: tinyFile };
    return { picture: { id: work.upload, ...files, moving: moving ? true : undefined } };
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    return { problem: error.problems["picture"] ?? "picture.broken" };
  }
}

/** Bytes of the files of a picture; two sizes that are the same are one file. */
function bytesOf(sizes: readonly (Drawn | undefined)[]): number {
  const files = sizes.flatMap((one) => one?.bytes ?? []);
  const bytes = new Map(files.map((file) => [contentDigest(file), file.length]));
  return [...bytes.values()].reduce((sum, size) => sum + size, 0);
}

/**
 * The first result stays: another run may have noted it, and a tweet may show it already. If the account was deleted
 * meanwhile, nothing stays.
 */
async function note(ctx: Ctx, work: PictureWork, made: Made): Promise<void> {
  const { user, upload } = work;
  const key = keys.uploads(user);
  const isFirst = (await ctx.redis.hsetnx(key, madeField(upload), JSON.stringify(made))) === 1;
  if (!isFirst || (await ctx.redis.hexists(key, upload)) === 1) return;
  await ctx.redis.hdel(key, madeField(upload));
  const isShown = (await ctx.redis.hexists(keys.pictures(user), upload)) === 1;
  if (made.problem !== undefined || isShown) return;
  await removeFiles(ctx, [made.picture]);
  await uncountPictures(ctx, user, [upload]);
}
