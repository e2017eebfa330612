import type { Ctx, PictureWork } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { Invalid } from "../errors.ts";
import type { UploadId, UserId } from "../ids.ts";

/** Share of the quota from which on the composer tells of it. */
const nearlyFull = 0.9;

/**
 * Counts the files of an upload, before they are written. Each upload has its own field, which one step changes
 * together with the sum: a repeat counts once. False, and not counted, if the quota has no room; as a former version does
 * not count what it deletes, a chore then counts again. May run twice.
 */
export async function countPicture(ctx: Ctx, { user, upload }: PictureWork, bytes: number) {
  const most = quotaOf(ctx) ?? -1;
  const isCounted = (await ctx.redis.countBytes(keys.storedBytes(user), most, upload, bytes)) === 1;
  if (!isCounted) await ctx.jobs.chore("count-storage", { user });
  return isCounted;
}

/** Counts them no longer, after their files were removed. May run twice. */
export async function uncountPictures({ redis }: Ctx, user: UserId, uploads: readonly UploadId[]) {
  const pairs = uploads.flatMap((upload) => [upload, 0]);
  await redis.countBytes(keys.storedBytes(user), -1, ...pairs);
}

/** Max bytes of the pictures of an account; undefined: the host sets none. */
export function quotaOf({ config }: Ctx): number | undefined {
  return config.accountPictureBytes === 0 ? undefined : config.accountPictureBytes;
}

/** Bytes of all pictures of a user. */
export async function pictureBytes({ redis }: Ctx, user: UserId): Promise<number> {
  return Number(await redis.hget(keys.storedBytes(user), "pictures"));
}

export async function isQuotaFull(ctx: Ctx, user: UserId): Promise<boolean> {
  const quota = quotaOf(ctx);
  return quota !== undefined && (await pictureBytes(ctx, user)) >= quota;
}

/** Throws Invalid beside `pictures`. Pictures of former versions, which did not count them, are counted by a chore. */
export async function requireQuota(ctx: Ctx, user: UserId): Promise<void> {
  if (quotaOf(ctx) === undefined) return;
  const isCounted = (await ctx.redis.hexists(keys.storedBytes(user), "texts")) === 1;
  const isFull = await isQuotaFull(ctx, user);
  if (isFull || !isCounted) await ctx.jobs.chore("count-storage", { user });
  if (isFull) throw new Invalid({ pictures: "picture.quota" });
}

/** The quota and what is used of it, once it is nearly full. */
export async function findFullness(ctx: Ctx, user: UserId) {
  const quota = quotaOf(ctx);
  const bytes = quota === undefined ? 0 : await pictureBytes(ctx, user);
  return quota !== undefined && bytes >= nearlyFull * quota ? { bytes, quota } : undefined;
}
