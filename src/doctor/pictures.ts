import type { Ctx } from "../context.ts";
import { findMiscounts, recountPictures } from "../domain/accounts/count-storage.ts";
import { draftedPictures } from "../domain/tweets/saved-drafts.ts";
import { findTweet } from "../domain/tweets/store.ts";
import type { Picture } from "../domain/pictures/picture.ts";
import { everyPicture } from "../domain/tweets/tweet.ts";
import { parseUploadId, tweetId, userId } from "../domain/ids.ts";
import { isImportWaiting, reconcileUpload } from "../domain/actions/attach-pictures.ts";
import { headerOf, storedHeader } from "../domain/pictures/header.ts";
import { filesOf } from "../domain/pictures/files.ts";
import { keys } from "../redis/keys.ts";
import { areMany, eachKey, eachTarget, type Run, type Target } from "./run.ts";

/** Milliseconds; the chore that deletes an unused upload runs a day after it. */
const strayAge = 2 * 24 * 60 * 60 * 1000;
/** Milliseconds until a file that was set aside is deleted. */
const asideAge = 14 * 24 * 60 * 60 * 1000;
/** Files of one look. */
const atOnce = 100;

type Storage = NonNullable<Ctx["storage"]>;

/** A file belongs to an upload of the last day, an import that waits, a picture of a tweet, or the header of its user. */
const storedFiles = eachTarget({
  read: async ({ ctx }, file: Target & { writtenAt: number; stays: boolean }) => {
    if (!isOld(ctx, file.writtenAt) || (await hasOwner(ctx, file.key))) return undefined;
    return (await ctx.storage?.find(file.key)) && file;
  },
  faults: {
    "picture-stray": [
      {
        detail: ({ stays }) => !stays && "no tweet and no upload has this file",
        how: "set it aside; it is deleted after 14 days",
        repair: async ({ ctx }, { key }) => ctx.storage?.setAside(key),
      },
      {
        detail: () =>
          "too many files have no tweet: is this the site's Redis? If so: --repair --remove-many",
      },
    ],
  },
});

const isOld = (ctx: Ctx, writtenAt: number) => ctx.now() - writtenAt > strayAge;

/** The form of our names: user and upload. */
const nameForm = /^([1-9]\d{0,14})-([0-9a-f]{24})[-.]/;

/** What does not have the form of our names is not ours: it stays. */
async function hasOwner(ctx: Ctx, name: string): Promise<boolean> {
  const { redis } = ctx;
  const [, user = "", upload = ""] = nameForm.exec(name) ?? [];
  if (user === "") return true;
  const owner = userId(user);
  if ((await redis.hexists(keys.uploads(owner), upload)) === 1) return true;
  const header = headerOf({ id: owner, header: await storedHeader(ctx, owner) });
  if (header !== undefined && filesOf(header).includes(name)) return true;
  const isOf = (picture: Picture) => filesOf(picture).includes(name);
  const holderOf = () => redis.hget(keys.pictures(owner), upload);
  const isShown = async () => {
    const holder = await holderOf();
    const tweet = holder === null ? undefined : await findTweet(ctx, tweetId(holder));
    return tweet !== undefined && everyPicture(tweet).some(isOf);
  };
  if (await isShown()) return true;
  // Drafts are many bytes, so they come last; one may be sent meanwhile.
  const drafted = await draftedPictures(ctx, owner);
  if ([...drafted.values()].some(isOf) || (await isShown())) return true;
  return (await holderOf()) === null && (await isImportWaiting(ctx, owner));
}

/**
 * Looks at all files of the storage. Strays stay if Redis does not seem to be that of the files. With `repair`, deletes
 * those that were set aside long ago.
 */
export async function checkFiles(
  run: Run,
  again: () => Promise<void>,
  { repair, removeMany = false }: { repair: boolean; removeMany?: boolean },
): Promise<void> {
  const { storage } = run.ctx;
  if (storage === undefined) return;
  const stays = !removeMany && (await hasTooManyStrays(run.ctx, storage));
  if (repair && !stays) await storage.deleteSetAside(run.ctx.now() - asideAge);
  for await (const files of batchesOf(storage)) {
    await run.look(
      storedFiles,
      files.map(({ name, writtenAt }) => ({ key: name, writtenAt, stays })),
    );
    await again();
  }
}

/** Whether Redis knows none of the old files, or misses many: it is empty, of another site, or of an old backup. */
async function hasTooManyStrays(ctx: Ctx, storage: Storage): Promise<boolean> {
  let owned = 0;
  let strays = 0;
  for await (const files of batchesOf(storage)) {
    const old = files.filter(({ name, writtenAt }) => nameForm.test(name) && isOld(ctx, writtenAt));
    const owners = await Promise.all(old.map(({ name }) => hasOwner(ctx, name)));
    owned += owners.filter(Boolean).length;
    strays += owners.filter((hasOne) => !hasOne).length;
  }
  if (strays === 0) return false;
  return owned === 0 || areMany(strays, owned + strays);
}

async function* batchesOf(storage: Storage) {
  let batch: { name: string; writtenAt: number }[] = [];
  for await (const file of storage.list()) {
    batch.push(file);
    if (batch.length < atOnce) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

/** A picture's tweet shows it, and its files are there. */
export const pictures = eachKey({
  of: ["pictures"],
  each: "member",
  read: async ({ ctx }, member) => {
    const { owner, id, value } = member;
    const tweet = await findTweet(ctx, tweetId(value));
    const picture = tweet && everyPicture(tweet).find((one) => one.id === id);
    // The chore of a recent upload decides.
    const isShown =
      picture !== undefined || (await ctx.redis.hexists(keys.uploads(userId(owner)), id)) === 1;
    return { ...member, isShown, missing: await missingOf(ctx, picture) };
  },
  jobs: ({ value }) => [`reconcile-deletion ${value}`],
  faults: {
    "picture-unused": {
      detail: ({ isShown, value }) => !isShown && `tweet ${value} does not show it`,
      how: "delete its files",
      async repair({ ctx }, { owner, id }) {
        const upload = parseUploadId(id);
        if (upload !== undefined) await reconcileUpload(ctx, { user: userId(owner), upload });
      },
    },
    "picture-missing": ({ missing }) => lacks(missing),
  },
});

/** The bytes of a user's pictures are counted, each once. */
export const storedBytes = eachKey({
  of: ["storedBytes"],
  // Each reads the list of the user's pictures.
  atOnce: 10,
  read: async ({ ctx }, item) => ({ ...item, ...(await findMiscounts(ctx, userId(item.owner))) }),
  jobs: ({ owner }) => [`count-storage ${owner}`],
  faults: {
    "bytes-miscounted": {
      detail({ excess, strays, uncounted, isWhole }) {
        const missing = isWhole ? uncounted.length : 0;
        return (
          (excess !== 0 || strays.length + missing > 0) &&
          `the sum is too high by ${excess}, ${strays.length} pictures are gone, ${missing} are missing`
        );
      },
      how: "count them again",
      repair: ({ ctx }, { owner }) => recountPictures(ctx, userId(owner)),
    },
  },
});

/** The files of a header are there. */
export const headers = eachKey({
  of: ["user"],
  read: async ({ ctx }, item) => {
    const id = userId(item.owner);
    const header = headerOf({ id, header: await storedHeader(ctx, id) });
    return { ...item, missing: await missingOf(ctx, header) };
  },
  faults: { "header-missing": ({ missing }) => lacks(missing) },
});

export function lacks(files: string[]): string | false {
  return files.length > 0 && `the storage does not have ${files.join(", ")}`;
}

/** The files of these pictures that the storage does not have. */
export async function missingOf(
  { storage }: Ctx,
  ...shown: (Parameters<typeof filesOf>[0] | undefined)[]
): Promise<string[]> {
  if (storage === undefined) return [];
  const files = shown.flatMap((picture) => (picture ? filesOf(picture) : []));
  const filesFound = await Promise.all(files.map((file) => storage.find(file)));
  return files.filter((_, nth) => filesFound[nth] === undefined);
}
