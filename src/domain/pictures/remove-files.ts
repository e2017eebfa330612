import type { Ctx, PictureWork } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import type { UploadId, UserId } from "../ids.ts";
import { filesOf, type Picture } from "./picture.ts";
import { type Made, madeField, originalOf } from "./uploads.ts";

/** Deletes the files of pictures. May run twice. */
export async function removeFiles(
  ctx: Ctx,
  pictures: readonly Pick<Picture, "tiny" | "small" | "large">[],
): Promise<void> {
  for (const file of pictures.flatMap(filesOf)) await ctx.storage?.remove(file);
}

/** Deletes the files of an upload, then its record, which names them. May run twice. */
export async function removeUpload(ctx: Ctx, work: PictureWork): Promise<void> {
  const { user, upload } = work;
  const made = await ctx.redis.hget(keys.uploads(user), madeField(upload));
  await ctx.storage?.remove(originalOf(work));
  const parsed = made === null ? undefined : (JSON.parse(made) as Made);
  if (parsed !== undefined && parsed.problem === undefined)
    await removeFiles(ctx, [parsed.picture]);
  await forgetUpload(ctx, work);
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
