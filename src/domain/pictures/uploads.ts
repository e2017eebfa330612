import type { Ctx } from "../../context.ts";
import { keys, mostOf, ttlOf } from "../../redis/keys.ts";
import { blockedIn, refuseBlocked } from "../blocks.ts";
import { pauseDeadline } from "../deadline.ts";
import { Invalid, required } from "../errors.ts";
import { formDigest } from "../secrets.ts";
import { type UploadId, type UserId, type Stamp, stampAt } from "../ids.ts";
import { isSpent } from "../users/payer.ts";
import { cleanText, fitsGraphemes } from "../users/display-text.ts";
import { pictureFormat } from "../drawing/decoder.ts";
import { descriptionLimit, type Made, type Picture, picturesAtMost } from "./picture.ts";
import { requireQuota } from "./stored-bytes.ts";
import { isStorageAway, madeField, originalOf, requireRoom } from "./files.ts";

/** Milliseconds between two looks at an upload that is being converted. */
const lookMilliseconds = 50;

/** Milliseconds between two trials of the storage meanwhile. */
const trialMilliseconds = 1000;

/** What was asked for. */
interface UploadInput {
  at: Stamp;
  description: string;
}

export interface Upload extends UploadInput {
  id: UploadId;
  /** Undefined while it is being converted. */
  made: Made | undefined;
}

/**
 * Keeps an uploaded file and promises its conversion. The promise to delete it comes first, so that a crash leaves
 * nothing for good. A form that is sent again gives the same `id`, see newUploadId. `from`: the network that pays for
 * it. Throws Invalid beside `pictures` or `description`.
 */
export async function addUpload(
  ctx: Ctx,
  user: UserId,
  file: { bytes: Buffer; description: string; id?: UploadId; from?: string },
): Promise<UploadId> {
  const { bytes, description: typed, id: upload = newUploadId(), from } = file;
  const { storage } = ctx;
  if (storage === undefined) throw new Invalid({ pictures: "picture.off" });
  if (pictureFormat(bytes) === undefined) throw new Invalid({ pictures: "picture.format" });
  const description = await checkDescription(ctx, typed);
  const [known] = await findUploads(ctx, user, [upload]);
  if (known?.made !== undefined) return upload;
  const fields = await ctx.redis.hkeys(keys.uploads(user));
  if (fields.length >= mostOf("uploads")) throw new Invalid({ pictures: "picture.many" });
  await requireQuota(ctx, user);
  // The storage may take seconds.
  await pauseDeadline(() => requireRoom(ctx, "pictures"));
  if (await isSpent(ctx, "pictureKilobyte", { user, from }))
    throw new Invalid({ pictures: "picture.budget" });
  await ctx.jobs.chore("reconcile-upload", { user, upload }, "tomorrow");
  await pauseDeadline(() => storage.putBriefly(originalOf({ user, upload }), bytes));
  await writeWish(ctx, user, upload, { at: stampAt(ctx.now(), user), description });
  await ctx.jobs.preparePicture({ user, upload, from }, unmadeAmong(fields) + 1);
  return upload;
}

/** How many uploads are not converted yet. */
function unmadeAmong(fields: readonly string[]): number {
  const madeCount = fields.filter((field) => field.endsWith(madeField("" as UploadId))).length;
  return Math.max(0, fields.length - 2 * madeCount);
}

/** 96 bits, random or of a form; see formDigest: the addresses of its files cannot be guessed. */
export function newUploadId(nonce?: string, ...parts: unknown[]): UploadId {
  return formDigest(nonce, ...parts).toString("hex", 0, 12) as UploadId;
}

/** Changes the description of an upload. Throws NotFound, Invalid beside `description`. */
export async function describeUpload(
  ctx: Ctx,
  user: UserId,
  { upload, description: typed }: { upload: UploadId; description: string },
): Promise<void> {
  const [known] = await findUploads(ctx, user, [upload]);
  const { at } = required(known, "upload");
  const description = await checkDescription(ctx, typed);
  await writeWish(ctx, user, upload, { at, description });
}

/** For a picture whose file is kept already. A description that is not allowed is left out. */
export async function noteUpload(
  ctx: Ctx,
  user: UserId,
  { upload, description: typed }: { upload: UploadId; description: string },
): Promise<void> {
  const text = cleanText(typed).trim();
  const isAllowed =
    fitsGraphemes(text, descriptionLimit) && (await blockedIn(ctx, text)) === undefined;
  const description = isAllowed ? text : "";
  await writeWish(ctx, user, upload, { at: stampAt(ctx.now(), user), description });
}

/**
 * Makes pictures of a tweet uploads again, with their descriptions there. The chore that forgets them comes first.
 * May run twice.
 */
export async function noteShown(ctx: Ctx, user: UserId, pictures: readonly Picture[]) {
  const ids = pictures.map(({ id }) => id);
  const uploads = await findUploads(ctx, user, ids);
  for (const [nth, { description, ...picture }] of pictures.entries()) {
    const { id: upload } = picture;
    // Time of the upload: now, so that an earlier chore waits another day.
    const at = stampAt(ctx.now(), user);
    if (uploads[nth] === undefined)
      await ctx.jobs.chore("reconcile-upload", { user, upload }, "tomorrow");
    const made: Made = { picture };
    await ctx.redis.hset(keys.uploads(user), madeField(upload), JSON.stringify(made));
    await writeWish(ctx, user, upload, { at, description });
  }
}

async function writeWish(ctx: Ctx, user: UserId, upload: UploadId, input: UploadInput) {
  const key = keys.uploads(user);
  await ctx.redis.hset(key, upload, JSON.stringify(input));
  await ctx.redis.expire(key, ttlOf("uploads"));
}

/** In order; undefined for uploads that are gone, or another user's. */
export async function findUploads(
  ctx: Ctx,
  user: UserId,
  ids: readonly UploadId[],
): Promise<(Upload | undefined)[]> {
  if (ids.length === 0) return [];
  const fields = ids.flatMap((id) => [id, madeField(id)]);
  const values = await ctx.redis.hmget(keys.uploads(user), ...fields);
  return ids.map((id, nth) => {
    const [wish, made] = values.slice(2 * nth);
    if (typeof wish !== "string") return undefined;
    const parsed = typeof made === "string" ? (JSON.parse(made) as Made) : undefined;
    return { ...(JSON.parse(wish) as UploadInput), id, made: parsed };
  });
}

/** The same, once all are converted, `milliseconds` have passed, or conversions wait for a storage that is away. */
export async function awaitUploads(
  ctx: Ctx,
  user: UserId,
  { ids, milliseconds }: { ids: readonly UploadId[]; milliseconds: number },
): Promise<(Upload | undefined)[]> {
  const end = performance.now() + milliseconds;
  let nextTrial = performance.now() + trialMilliseconds;
  for (;;) {
    const uploads = await findUploads(ctx, user, ids);
    const isReady = uploads.every((upload) => upload === undefined || upload.made !== undefined);
    if (isReady || performance.now() > end) return uploads;
    if (performance.now() > nextTrial) {
      if (await isStorageAway(ctx)) return uploads;
      nextTrial = performance.now() + trialMilliseconds;
    }
    await new Promise((resolve) => setTimeout(resolve, lookMilliseconds));
  }
}

/** The pictures of a tweet that is about to be posted. Throws Invalid beside `pictures`. */
export async function readyPictures(
  ctx: Ctx,
  user: UserId,
  ids: readonly UploadId[],
): Promise<Picture[]> {
  if (ids.length > picturesAtMost || new Set(ids).size !== ids.length)
    throw new Invalid({ pictures: "picture.many" });
  const uploads = await findUploads(ctx, user, ids);
  return uploads.map((upload) => {
    if (upload === undefined) throw new Invalid({ pictures: "picture.gone" });
    const { made, description } = upload;
    if (made === undefined) throw new Invalid({ pictures: "picture.slow" });
    if (made.problem !== undefined) throw new Invalid({ pictures: made.problem });
    return { ...made.picture, description };
  });
}

/** As it is stored. Throws Invalid beside `description`. */
async function checkDescription(ctx: Ctx, raw: string): Promise<string> {
  const description = cleanText(raw).trim();
  if (!fitsGraphemes(description, descriptionLimit))
    throw new Invalid({ description: "picture.description" });
  await refuseBlocked(ctx, { description });
  return description;
}
