import type { Ctx, PictureWork } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { Invalid, NotFound } from "../errors.ts";
import { type TweetId, tweetId, type UploadId, type UserId } from "../ids.ts";
import type { Picture } from "../pictures/picture.ts";
import { withoutRight } from "../scope.ts";
import { forgetUpload, removeFiles, removeUpload } from "../pictures/files.ts";
import { uncountPictures } from "../pictures/stored-bytes.ts";
import { findUploads } from "../pictures/uploads.ts";
import { draftedPictures } from "../tweets/saved-drafts.ts";
import { dropDraft, findTweet } from "../tweets/store.ts";
import { everyPicture, type Tweet } from "../tweets/tweet.ts";

/** Milliseconds that an upload waits for its tweet at least; the chore runs an hour later. */
const unusedMilliseconds = 23 * 60 * 60 * 1000;

type Claim = { tweet: TweetId; pictures: readonly Picture[] };

/**
 * Notes, before a draft becomes a tweet, that it shows these uploads: then nothing deletes their files as unused. A
 * picture belongs to one tweet. Throws Invalid beside `pictures`, also if an upload was just taken back; then none of
 * them is claimed.
 */
export async function claimPictures(ctx: Ctx, author: UserId, { tweet, pictures }: Claim) {
  const key = keys.pictures(author);
  const claimed: Picture[] = [];
  try {
    for (const picture of pictures) {
      if (!(await claimPicture(ctx, key, tweet, picture.id))) continue;
      claimed.push(picture);
      // See discardUpload.
      if ((await ctx.redis.hexists(keys.uploads(author), picture.id)) === 0)
        throw new Invalid({ pictures: "picture.gone" });
    }
  } catch (error) {
    if (error instanceof Invalid) await unclaimPictures(ctx, author, { tweet, pictures: claimed });
    throw error;
  }
}

/** Lets other tweets show uploads that a tweet has claimed, and does not show. */
export async function unclaimPictures(ctx: Ctx, author: UserId, { tweet, pictures }: Claim) {
  if (pictures.length === 0) return;
  const pairs = pictures.flatMap(({ id }) => [id, tweet]);
  await withoutRight(() => ctx.redis.clearFields(keys.pictures(author), ...pairs));
}

/** False if the tweet has the picture already. A draft that lapsed loses it. Throws Invalid. */
async function claimPicture(ctx: Ctx, key: string, tweet: TweetId, id: UploadId) {
  if ((await ctx.redis.hsetnx(key, id, tweet)) === 1) return true;
  const holder = await ctx.redis.hget(key, id);
  if (holder === tweet) return false;
  const isHeld = holder !== null && (await ctx.redis.exists(keys.tweet(tweetId(holder)))) === 1;
  if (!isHeld && (await ctx.redis.updateIf(key, id, holder ?? "", id, tweet)) === 1) return true;
  throw new Invalid({ pictures: "picture.used" });
}

/** Lets other tweets show pictures that a tweet claimed which was never committed, and now cannot be. May run twice. */
export async function freePictures(ctx: Ctx, author: UserId, pictures: readonly Picture[]) {
  if (pictures.length === 0) return;
  const ids = pictures.map(({ id }) => id);
  const holders = await ctx.redis.hmget(keys.pictures(author), ...ids);
  for (const holder of holders) if (holder !== null) await dropDraft(ctx, tweetId(holder), author);
}

/** The promised chore, a day after an upload: if no tweet shows it and no draft has it, nothing of it stays. May run twice. */
export async function reconcileUpload(ctx: Ctx, work: PictureWork): Promise<void> {
  const { user, upload } = work;
  const [known] = await findUploads(ctx, user, [upload]);
  const isEarly =
    known === undefined
      ? await isImportWaiting(ctx, user)
      : ctx.now() - known.at / 1000 < unusedMilliseconds;
  if (!isEarly || (await isShown(ctx, work))) await reconcileUploadNow(ctx, work);
  // Run too early, as by an admin.
  else await ctx.jobs.chore("reconcile-upload", work, "tomorrow");
}

/** Whether pictures of an import may wait for their tweets: its user looks at it first, or has paused it. */
export async function isImportWaiting(ctx: Ctx, user: UserId): Promise<boolean> {
  const id = await ctx.redis.hget(keys.import(user), "id");
  return id !== null && (await ctx.redis.exists(keys.importItems(user, id))) === 1;
}

/** The same for an upload that no new tweet will show. Resolves to whether a tweet or a draft has it. May run twice. */
export async function reconcileUploadNow(ctx: Ctx, work: PictureWork): Promise<boolean> {
  const { user, upload } = work;
  if ((await isShown(ctx, work)) || (await draftedPictures(ctx, user)).has(upload)) {
    await forgetUpload(ctx, work);
    return true;
  }
  await removeUpload(ctx, work);
  await ctx.redis.hdel(keys.pictures(user), upload);
  return false;
}

/**
 * Deletes an upload that its user takes back. Throws NotFound; Invalid beside `pictures` if a tweet or a draft shows
 * it, or is being written with it.
 */
export async function discardUpload(ctx: Ctx, work: PictureWork): Promise<void> {
  const { user, upload } = work;
  const [known] = await findUploads(ctx, user, [upload]);
  if (known === undefined) throw new NotFound("upload");
  await refuseClaimed(ctx, work);
  // No tweet or draft can take it any more; one that just did is seen now. What is left then, its chore deletes.
  await ctx.redis.hdel(keys.uploads(user), upload);
  await refuseClaimed(ctx, work);
  await refuseDrafted(ctx, work);
  await removeUpload(ctx, work);
}

/** The same for an upload that a draft may show. */
export async function takeBackUpload(ctx: Ctx, work: PictureWork): Promise<void> {
  await refuseDrafted(ctx, work);
  await discardUpload(ctx, work);
}

/** Throws Invalid beside `pictures` for an upload that a tweet or a draft shows, with a description of its own. */
export async function refuseShown(ctx: Ctx, work: PictureWork): Promise<void> {
  await refuseDrafted(ctx, work);
  if (await isShown(ctx, work)) throw new Invalid({ pictures: "picture.used" });
}

async function refuseDrafted(ctx: Ctx, { user, upload }: PictureWork): Promise<void> {
  const drafted = await draftedPictures(ctx, user);
  if (drafted.has(upload)) throw new Invalid({ pictures: "picture.used" });
}

async function refuseClaimed(ctx: Ctx, { user, upload }: PictureWork): Promise<void> {
  const isClaimed = (await ctx.redis.hexists(keys.pictures(user), upload)) === 1;
  if (isClaimed) throw new Invalid({ pictures: "picture.used" });
}

/** Whether a tweet, or an earlier version of it, shows a picture. */
async function isShown(ctx: Ctx, { user, upload }: PictureWork): Promise<boolean> {
  const holder = await ctx.redis.hget(keys.pictures(user), upload);
  const tweet = holder === null ? undefined : await findTweet(ctx, tweetId(holder));
  return tweet !== undefined && everyPicture(tweet).some(({ id }) => id === upload);
}

/**
 * Deletes the pictures of a deleted tweet: the files, the entries of its author, and last the field that names
 * them. A draft that was not sent after all keeps its files, and so do `kept` ones. May run twice.
 */
export async function removePictures(ctx: Ctx, tweet: Tweet, kept: readonly Picture[] = []) {
  const { id, author } = tweet;
  const pictures = everyPicture(tweet);
  if (pictures.length === 0) return;
  const key = keys.pictures(author);
  const [holders, drafted] = await Promise.all([
    ctx.redis.hmget(key, ...pictures.map((picture) => picture.id)),
    draftedPictures(ctx, author),
  ]);
  const attached = pictures.filter((_, nth) => holders[nth] === id || holders[nth] === null);
  const needed = new Set([...drafted.keys(), ...kept.map((picture) => picture.id)]);
  const unused = attached.filter((picture) => !needed.has(picture.id));
  await removeFiles(ctx, unused);
  const uploads = unused.map((picture) => picture.id);
  for (const upload of uploads) await forgetUpload(ctx, { user: author, upload });
  if (attached.length > 0) await ctx.redis.hdel(key, ...attached.map((picture) => picture.id));
  await uncountPictures(ctx, author, uploads);
  await ctx.redis.hdel(keys.tweet(id), "pictures", "former_pictures", "sensitive");
}
