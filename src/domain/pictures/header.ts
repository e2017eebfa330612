import type { Chores, Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { pauseDeadline } from "../deadline.ts";
import { contentDigest } from "../drawing/draw.ts";
import { headerSizes } from "../drawing/profile.ts";
import { Invalid } from "../errors.ts";
import type { UploadId, UserId } from "../ids.ts";
import { promiseRemoval } from "../promises.ts";
import { drawFor } from "../users/avatars.ts";
import type { User } from "../users/store.ts";
import { fileOf, removeFiles, requireRoom } from "./files.ts";
import { newUploadId } from "./uploads.ts";

/** Both files of a header picture; undefined for a user without one. */
export function headerOf({ id, header }: Pick<User, "id" | "header">) {
  const [upload, small, large] = header.split("-");
  if (small === undefined || large === undefined) return undefined;
  const work = { user: id, upload: upload as UploadId };
  return {
    small: { file: fileOf(work, small), ...headerSizes.small },
    large: { file: fileOf(work, large), ...headerSizes.large },
  };
}

/**
 * Makes an uploaded picture the user's header. `header` in the user's hash is the truth and names the files. The
 * chore that deletes files which it does not name is promised before they are written. Throws Invalid beside
 * `header`, TooMany.
 */
export async function changeHeader(ctx: Ctx, user: UserId, upload: Buffer): Promise<void> {
  const { storage } = ctx;
  if (storage === undefined) throw new Invalid({ header: "picture.off" });
  await requireRoom(ctx, "header");
  const { small, large } = await drawFor(ctx, user, { what: "header", upload, queue: "profiles" });
  const header = [newUploadId(), contentDigest(small), contentDigest(large)].join("-");
  await ctx.jobs.chore("reconcile-header", { user, header }, "tomorrow");
  const files = headerOf({ id: user, header });
  if (files === undefined) throw new TypeError("a header without files");
  // The storage may take seconds. Afterwards the right of the viewer is checked again.
  await pauseDeadline(async () => {
    await storage.put(files.small.file, small, "image/webp");
    await storage.put(files.large.file, large, "image/webp");
  });
  await replaceHeader(ctx, user, header);
}

/** See changeHeader. Does nothing if there is none. */
export async function removeHeader(ctx: Ctx, user: UserId): Promise<void> {
  await replaceHeader(ctx, user, "");
}

async function replaceHeader(ctx: Ctx, user: UserId, header: string): Promise<void> {
  const before = await storedHeader(ctx, user);
  if (before === header) return;
  const work = { user, header: before };
  if (before !== "")
    await promiseRemoval(ctx, () => ctx.jobs.chore("reconcile-header", work, "later"));
  await ctx.redis.setField(keys.user(user), "header", header);
  if (before === "") return;
  await reconcileHeader(ctx, work).catch((error: unknown) => {
    ctx.log.warn({ err: error }, "files of an old header picture wait for the job");
  });
}

/** The chore: deletes the files of a header that the user does not have (any more). May run twice. */
export async function reconcileHeader(
  ctx: Ctx,
  { user, header }: Chores["reconcile-header"],
): Promise<void> {
  const files = headerOf({ id: user, header });
  if (files === undefined || (await storedHeader(ctx, user)) === header) return;
  await removeFiles(ctx, [files]);
}

/** For an account that is being erased, whose hash is deleted afterwards. May run twice. */
export async function eraseHeader(ctx: Ctx, user: UserId): Promise<void> {
  const files = headerOf({ id: user, header: await storedHeader(ctx, user) });
  if (files !== undefined) await removeFiles(ctx, [files]);
}

/** As written, also while the account is being erased. Empty without one. */
export async function storedHeader(ctx: Ctx, user: UserId): Promise<string> {
  return (await ctx.redis.hget(keys.user(user), "header")) ?? "";
}
