import type { Ctx, PictureWork } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import type { Storage } from "../../storage/storage.ts";
import { contentDigest } from "../drawing/draw.ts";
import type { Drawn } from "../drawing/picture.ts";
import { Invalid, StorageAway } from "../errors.ts";
import { type UploadId, userId, type UserId } from "../ids.ts";
import type { Made, Picture, Rendition } from "./picture.ts";
import { uncountPictures } from "./stored-bytes.ts";

/** User, upload and digest of the content. The upload's id makes it impossible to guess. */
export function fileOf({ user, upload }: PictureWork, digest: string): string {
  return `${user}-${upload}-${digest}.webp`;
}

const fileName = /^([1-9]\d{0,14})-([0-9a-f]{24})-[0-9a-f]{16}\.webp$/;

/** The owner and the upload of a rendition; undefined if it has not the form of its name. */
export function parseFileName(name: string): PictureWork | undefined {
  const [, user, upload] = fileName.exec(name) ?? [];
  return user === undefined ? undefined : { user: userId(user), upload: upload as UploadId };
}

/** Name of the file as it was uploaded; no address leads to it. */
export function originalOf({ user, upload }: PictureWork): string {
  return `${user}-${upload}.upload`;
}

/** Stores a WebP under a name of its own. */
export async function storeFile(
  storage: Storage,
  work: PictureWork,
  { bytes, width, height }: Drawn,
): Promise<Rendition> {
  const file = fileOf(work, contentDigest(bytes));
  await storage.put(file, bytes, "image/webp");
  return { file, width, height, bytes: bytes.length };
}

type Sizes = Pick<Picture, "tiny" | "small" | "large">;

/** All files of a picture. */
export function filesOf({ tiny, small, large }: Sizes): string[] {
  return [...new Set([tiny, small, large].flatMap((size) => size?.file ?? []))];
}

/** Deletes the files of pictures. May run twice. */
export async function removeFiles({ storage }: Ctx, pictures: readonly Sizes[]): Promise<void> {
  for (const file of pictures.flatMap(filesOf)) await storage?.remove(file);
}

/** Field of what became of an upload. */
export function madeField(upload: UploadId): string {
  return `${upload}:made`;
}

/** Deletes the files of an upload, then its record, which names them. May run twice. */
export async function removeUpload(ctx: Ctx, work: PictureWork): Promise<void> {
  const { user, upload } = work;
  const serialized = await ctx.redis.hget(keys.uploads(user), madeField(upload));
  await ctx.storage?.remove(originalOf(work));
  const parsed = serialized === null ? undefined : (JSON.parse(serialized) as Made);
  if (parsed !== undefined && parsed.problem === undefined)
    await removeFiles(ctx, [parsed.picture]);
  await forgetUpload(ctx, work);
  await uncountPictures(ctx, user, [upload]);
}

/** Deletes the record only. */
export async function forgetUpload(ctx: Ctx, { user, upload }: PictureWork): Promise<void> {
  await ctx.redis.hdel(keys.uploads(user), upload, madeField(upload));
}

/** All uploads that are noted. */
export async function uploadsOf(ctx: Ctx, user: UserId): Promise<UploadId[]> {
  const fields = await ctx.redis.hkeys(keys.uploads(user));
  return [...new Set(fields.map((field) => field.split(":", 1)[0] as UploadId))];
}

/**
 * Throws Invalid beside `field` while the disk of the pictures is nearly full. Redis may need the rest: it writes its
 * file anew beside the old one, and refuses all writes where it cannot. Throws StorageAway before the work begins.
 */
export async function requireRoom({ storage, config }: Ctx, field: string): Promise<void> {
  if (storage === undefined) return;
  if ((await storage.freeBytes()) < config.freeDiskBytes)
    throw new Invalid({ [field]: "picture.full" });
  await storage.check();
}

/**
 * Why the folder of pictures cannot be written, in words. Not a full disk, which text can do with, and not a bucket
 * that is away: it is away for all processes, which go on without pictures.
 */
export async function folderTrouble({
  storage,
  config,
}: Pick<Ctx, "storage" | "config">): Promise<string | undefined> {
  if (storage === undefined || config.bucket !== undefined) return undefined;
  try {
    await storage.check();
  } catch (error) {
    const { message, cause } = error as Error & { cause?: NodeJS.ErrnoException };
    if (cause?.code !== "ENOSPC" && cause?.code !== "EDQUOT") return message;
  }
  return undefined;
}

/** Whether work with pictures waits for their storage. */
export async function isStorageAway({ storage }: Ctx): Promise<boolean> {
  try {
    await storage?.check();
    return false;
  } catch (error) {
    if (error instanceof StorageAway) return true;
    throw error;
  }
}
