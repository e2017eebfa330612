import type { Ctx } from "../../context.ts";
import { inBatches } from "../concurrency-limit.ts";
import { keys } from "../../redis/keys.ts";
import { tweetId, type UploadId, type UserId } from "../ids.ts";
import { filesOf } from "../pictures/files.ts";
import type { Picture } from "../pictures/picture.ts";
import { uncountPictures } from "../pictures/stored-bytes.ts";
import { draftedPictures } from "../tweets/saved-drafts.ts";
import { readTweets } from "../tweets/store.ts";
import { everyPicture, wordsOf } from "../tweets/tweet.ts";
import { readUser } from "../users/store.ts";
import { pagesOf, toTweets } from "./export-rows.ts";

/** Tweets of one read. */
const atOnce = 500;

/** What an account keeps, in bytes. `texts` were counted `at` (milliseconds); undefined: not yet. */
export type StorageUse = Awaited<ReturnType<typeof findStorageUse>>;

/** Reads two fields: the texts are counted when their owner asks for it. */
export async function findStorageUse(ctx: Ctx, user: UserId) {
  const [pictures, texts] = await ctx.redis.hmget(keys.storedBytes(user), "pictures", "texts");
  const [bytes = 0, at] = (texts ?? "").split(" ").map(Number);
  return { pictures: Number(pictures), texts: at === undefined ? undefined : { bytes, at } };
}

/** The chore: counts the texts, and mends the count of the pictures. May run twice. */
export async function countStorage(
  ctx: Ctx,
  { user }: { user: UserId },
  alive = () => {},
): Promise<void> {
  if ((await readUser(ctx, user)) === undefined) return;
  await recountPictures(ctx, user);
  let bytes = 0;
  for (const list of [keys.userTimeline(user), keys.sentMessages(user)])
    for await (const tweets of pagesOf(ctx, list, toTweets)) {
      for (const tweet of tweets) bytes += Buffer.byteLength(wordsOf(tweet));
      alive();
    }
  await ctx.redis.hset(keys.storedBytes(user), "texts", `${bytes} ${ctx.now()}`);
  // Deleted meanwhile.
  if ((await readUser(ctx, user)) === undefined) await ctx.redis.unlink(keys.storedBytes(user));
}

/** Counts pictures from before they were counted, and mends what is wrong. Not at the same time in two processes. */
export async function recountPictures(ctx: Ctx, user: UserId): Promise<void> {
  const { excess, strays, uncounted } = await findMiscounts(ctx, user);
  if (excess !== 0) await ctx.redis.hincrby(keys.storedBytes(user), "pictures", -excess);
  await uncountPictures(ctx, user, strays);
  await countOld(ctx, user, uncounted);
}

/**
 * What is wrong with the count of a user's pictures: by how much the sum is too high, which counted uploads are no
 * more, and which pictures of tweets are not counted. In this order an upload that becomes a picture is in one of both.
 */
export async function findMiscounts(ctx: Ctx, user: UserId) {
  const { redis } = ctx;
  const { pictures = "0", texts, ...counted } = await redis.hgetall(keys.storedBytes(user));
  const sum = Object.values(counted).reduce((all, bytes) => all + Number(bytes), 0);
  const uploads = new Set(await redis.hkeys(keys.uploads(user)));
  const drafted = await draftedPictures(ctx, user);
  const shown = await redis.hgetall(keys.pictures(user));
  return {
    excess: Number(pictures) - sum,
    strays: (Object.keys(counted) as UploadId[]).filter(
      (id) => !uploads.has(id) && !drafted.has(id) && !(id in shown),
    ),
    uncounted: Object.entries(shown).filter(([id]) => !(id in counted)),
    /** Whether all pictures have been counted before. */
    isWhole: texts !== undefined,
  };
}

/** Pictures of tweets, as pairs of upload and tweet. Those that were deleted meanwhile are not counted. */
async function countOld(ctx: Ctx, user: UserId, pairs: readonly [string, string][]): Promise<void> {
  const uploads = new Set(pairs.map(([upload]) => upload));
  const ids = [...new Set(pairs.map(([, tweet]) => tweetId(tweet)))];
  for (const some of inBatches(ids, atOnce)) {
    const tweets = await readTweets(ctx, some);
    const pictures = tweets
      .flatMap((tweet) => (tweet === undefined ? [] : everyPicture(tweet)))
      .filter(({ id }) => uploads.has(id));
    if (pictures.length === 0) continue;
    const sizes = await Promise.all(pictures.map((picture) => sizeOf(ctx, picture)));
    const counted = pictures.flatMap(({ id }, nth) => [id, sizes[nth] ?? 0]);
    await ctx.redis.countBytes(keys.storedBytes(user), -1, ...counted);
    const holders = await ctx.redis.hmget(keys.pictures(user), ...pictures.map(({ id }) => id));
    const gone = pictures.filter((_, nth) => holders[nth] === null).map(({ id }) => id);
    await uncountPictures(ctx, user, gone);
  }
}

/** Old pictures do not have the sizes of their files. */
async function sizeOf({ storage }: Ctx, picture: Picture): Promise<number> {
  const { tiny, small, large } = picture;
  const noted = new Map([tiny, small, large].map((one) => [one?.file, one?.bytes]));
  const sizes = filesOf(picture).map(
    async (file) => noted.get(file) ?? (await storage?.find(file))?.size ?? 0,
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
