import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { claimPictures, removePictures, reconcileUploadNow } from "../actions/attach-pictures.ts";
import type { TweetId, UploadId, UserId } from "../ids.ts";
import type { Picture } from "../pictures/picture.ts";
import { prepareUpload } from "../pictures/prepare-upload.ts";
import { findUploads, noteUpload } from "../pictures/uploads.ts";
import { originalOf, requireRoom } from "../pictures/files.ts";
import type { Payer } from "../users/payer.ts";
import type { Alive } from "./import-run.ts";
import { findTombstone, findTweet } from "../tweets/store.ts";

/** A picture of a tweet to import, whose file is kept like an upload. */
export interface ImportPicture {
  upload: UploadId;
  description: string;
}

/** Bytes that are written between two looks at the disk. */
const lookBytes = 8_000_000;

/**
 * Keeps the pictures of an archive until their tweets are imported. As with uploads, the promise to delete them
 * comes first. Does nothing on a site without storage. Throws Invalid beside `file` if they fill the disk; then none stays.
 */
export async function keepOriginals(
  ctx: Ctx,
  user: UserId,
  files: ReadonlyMap<UploadId, () => Promise<Buffer>>,
): Promise<void> {
  if (ctx.storage === undefined) return;
  const keptFiles: string[] = [];
  let written = 0;
  try {
    for (const [upload, read] of files) {
      const bytes = await read();
      if (written > lookBytes) {
        await requireRoom(ctx, "file");
        written = 0;
      }
      await ctx.jobs.chore("reconcile-upload", { user, upload }, "tomorrow");
      keptFiles.push(originalOf({ user, upload }));
      await ctx.storage.putBriefly(originalOf({ user, upload }), bytes);
      written += bytes.length;
    }
  } catch (error) {
    for (const name of keptFiles) await ctx.storage.remove(name);
    throw error;
  }
}

/** Pictures are over the budget of the day, or over the quota. */
export class PicturesOver extends Error {}

/** Converts these, as uploads are; those that cannot be read are left out. Throws PicturesOver. May run twice. */
export async function convertOriginals(
  ctx: Ctx,
  { user, from }: Payer,
  wanted: readonly ImportPicture[],
  alive: Alive["alive"],
): Promise<Picture[]> {
  const pictures: Picture[] = [];
  if (ctx.storage === undefined) return pictures;
  for (const { upload, description } of wanted) {
    await alive();
    const [known] = await findUploads(ctx, user, [upload]);
    if (known === undefined) await noteUpload(ctx, user, { upload, description });
    await prepareUpload(ctx, { user, upload, from }, "imports");
    const [done] = await findUploads(ctx, user, [upload]);
    const problem = done?.made?.problem;
    if (problem === "picture.quota" || problem === "picture.budget") throw new PicturesOver();
    if (done?.made !== undefined && done.made.problem === undefined)
      pictures.push({ ...done.made.picture, description: done.description });
  }
  return pictures;
}

/**
 * Gives pictures to an imported tweet that was imported before without them, as from a file with texts only. Does
 * nothing if it is gone or has some.
 */
export async function addPictures(
  ctx: Ctx,
  author: UserId,
  { tweet, pictures, sensitive }: { tweet: TweetId; pictures: Picture[]; sensitive: boolean },
): Promise<void> {
  const copy = await findTweet(ctx, tweet);
  if (copy === undefined || pictures.length === 0 || (copy.pictures ?? []).length > 0) return;
  await claimPictures(ctx, author, { tweet, pictures });
  const fields = ["pictures", JSON.stringify(pictures), ...(sensitive ? ["sensitive", "1"] : [])];
  await ctx.redis.setField(keys.tweet(tweet), ...fields);
  // It was deleted meanwhile.
  const tombstone = (await findTweet(ctx, tweet)) ? undefined : await findTombstone(ctx, tweet);
  if (tombstone !== undefined) await removePictures(ctx, tombstone);
}

/**
 * After the import of their tweet, or when it is refused. Resolves to how many pictures it shows; nothing of the
 * others stays. May run twice.
 */
export async function dropOriginals(
  ctx: Ctx,
  user: UserId,
  wanted: readonly ImportPicture[] = [],
): Promise<number> {
  let shown = 0;
  for (const { upload } of wanted) {
    await ctx.storage?.remove(originalOf({ user, upload }));
    if (await reconcileUploadNow(ctx, { user, upload })) shown += 1;
  }
  return shown;
}
