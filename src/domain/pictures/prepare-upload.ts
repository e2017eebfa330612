import { createHash } from "node:crypto";
import type { ConversionWork, Ctx, PictureWork } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import type { Storage } from "../../storage/storage.ts";
import { Invalid } from "../errors.ts";
import type { Problem } from "../problems.ts";
import type { Drawn } from "../drawing/picture.ts";
import { charge } from "../users/payer.ts";
import { drawFor } from "../users/avatars.ts";
import { filesOf, type Rendition } from "./picture.ts";
import { findUploads, type Made, madeField, originalOf } from "./uploads.ts";

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
    const bytes = await readWhole(storage, original);
    const made =
      bytes === undefined
        ? failed("picture.gone")
        : await make(ctx, storage, { work, bytes, queue });
    await note(ctx, storage, work, made);
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
    const [tinyFile, smallFile, largeFile] = await Promise.all([
      tiny && store(storage, work, tiny),
      store(storage, work, small),
      store(storage, work, large),
    ]);
    const stored = [tinyFile, smallFile, largeFile].reduce(
      (sum, one) => sum + (one?.bytes ?? 0),
      0,
    );
    await charge(ctx, "pictureKilobyte", work, Math.ceil(stored / 1000));
    const about = { id: work.upload, small: smallFile, large: largeFile, blur, hash };
    const sized = tinyFile === undefined ? about : { ...about, tiny: tinyFile };
    return { picture: moving ? { ...sized, moving } : sized };
  } catch (error) {
    if (error instanceof Invalid) return failed(error.problems["picture"] ?? "picture.broken");
    throw error;
  }
}

/**
 * The first result stays: another run may have noted it, and a tweet may show it already. If the account was deleted
 * meanwhile, nothing stays.
 */
async function note(ctx: Ctx, storage: Storage, work: PictureWork, made: Made): Promise<void> {
  const { user, upload } = work;
  const key = keys.uploads(user);
  const isFirst = (await ctx.redis.hsetnx(key, madeField(upload), JSON.stringify(made))) === 1;
  if (!isFirst || (await ctx.redis.hexists(key, upload)) === 1) return;
  await ctx.redis.hdel(key, madeField(upload));
  const isShown = (await ctx.redis.hexists(keys.pictures(user), upload)) === 1;
  if (made.problem !== undefined || isShown) return;
  for (const file of filesOf(made.picture)) await storage.remove(file);
}

function failed(problem: Problem): Made {
  return { problem };
}

/** The name tells the content: what an address shows never changes. */
async function store(
  storage: Storage,
  { user, upload }: PictureWork,
  { bytes, width, height }: Drawn,
): Promise<Rendition> {
  const digest = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
  const file = `${user}-${upload}-${digest}.webp`;
  await storage.put(file, bytes, "image/webp");
  return { file, width, height, bytes: bytes.length };
}

async function readWhole(storage: Storage, name: string): Promise<Buffer | undefined> {
  const file = await storage.find(name);
  if (file === undefined) return undefined;
  const chunks: Buffer[] = [];
  for await (const chunk of await file.read()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
