import { pipeline } from "node:stream/promises";
import type { Response, Router } from "express";
import type { Ctx } from "../../../context.ts";
import { NotFound, required } from "../../../domain/errors.ts";
import { tweetWith } from "../../../domain/feeds/thread.ts";
import { isSeenBy } from "../../../domain/feeds/sight.ts";
import { type UserId, userId } from "../../../domain/ids.ts";
import { hasOpenReports } from "../../../domain/moderation/store.ts";
import { parseFileName } from "../../../domain/pictures/files.ts";
import { headerOf } from "../../../domain/pictures/header.ts";
import { isOpen } from "../../../domain/tweets/audience.ts";
import { avatarPath, findAvatar } from "../../../domain/users/avatars.ts";
import { isModerator } from "../../../domain/users/roles.ts";
import { findUser, type User } from "../../../domain/users/store.ts";
import type { StoredFile } from "../../../storage/storage.ts";
import { drawDefault, drawLetter, missingHeader } from "../../layout/avatars.ts";
import { textsOf } from "../../layout/form.ts";
import { signedViewer } from "../../layout/pictures.ts";
import { viewerOf } from "../../request/reader.ts";
import { loadViewer, sessions } from "../../request/session.ts";
import { shareWithApps } from "../../server/send-public.ts";

const forGood = "public, max-age=31536000, immutable";
/** Browsers keep pictures for good; shared caches ask again, as a moderator may remove a picture. */
const forBrowsers = "public, max-age=31536000, s-maxage=600, immutable";
/** The same on a site for members, where shared caches keep nothing. */
const privately = "private, max-age=31536000, immutable";

/** For those who may see it now; nothing keeps it. */
const forOne = "private, no-store";

/**
 * Serves pictures. Those of tweets that everyone may see, and of profiles, without a session: their addresses cannot be
 * guessed. Others for viewers who may see the tweet, by their session or by an address that is signed for them. Whole or
 * a range; no pictures of users who are gone or suspended.
 */
export function tweetPictures(router: Router, ctx: Ctx, secret: string): void {
  router.get(
    "/pictures/:file",
    async (req, res, next) => {
      const picture = await findPicture(ctx, String(req.params["file"]));
      if (isForEveryone(picture)) await send(ctx, res, picture.file, cachingOf(res, forBrowsers));
      else next();
    },
    sessions(ctx, secret),
    loadViewer(ctx),
    async (req, res) => {
      const name = String(req.params["file"]);
      const picture = await findPicture(ctx, name);
      const viewer = (await signedViewer(ctx, name, textsOf(req.query))) ?? viewerOf(res);
      if (!(await maySee(ctx, viewer, picture))) throw new NotFound("picture");
      await send(ctx, res, picture.file, forOne);
    },
  );
}

type FoundPicture = Awaited<ReturnType<typeof findPicture>>;

/** A picture with its owner and the tweet that shows it, if any. Throws NotFound. */
async function findPicture(ctx: Ctx, name: string) {
  const parsed = required(parseFileName(name), "picture");
  const [file, tweet] = await Promise.all([ctx.storage?.find(name), tweetWith(ctx, parsed)]);
  // After the tweet: it may be of a moment when the account was protected already.
  const owner = await findUser(ctx, parsed.user);
  if (file === undefined || owner === undefined || owner.suspended) throw new NotFound("picture");
  return { name, file, owner, tweet };
}

/** Whether it is of a tweet that everyone may see, or of a profile. */
function isForEveryone({ name, owner, tweet }: FoundPicture): boolean {
  if (tweet !== undefined) return isOpen(tweet, owner);
  const header = headerOf(owner);
  return header?.small.file === name || header?.large.file === name;
}

/** Whether a viewer sees the tweet, or uploads the picture for one. Moderators see what was reported. */
async function maySee(ctx: Ctx, viewer: User | undefined, { owner, tweet }: FoundPicture) {
  if (viewer === undefined || tweet === undefined) return viewer?.id === owner.id;
  if (await isSeenBy(ctx, viewer, tweet)) return true;
  const { id } = tweet;
  return isModerator(ctx, viewer) && (await hasOpenReports(ctx, { kind: "tweet", tweet: id }));
}

async function send(ctx: Ctx, res: Response, file: StoredFile, caching: string): Promise<void> {
  const { req } = res;
  const ranges = req.range(file.size);
  // Several ranges at once are not worth it: the answer is the whole file.
  const range = typeof ranges === "object" && ranges.length === 1 ? ranges[0] : undefined;
  const { start, end } = range ?? { start: 0, end: file.size - 1 };
  const isSent = req.method !== "HEAD" && ranges !== -1;
  // Before all headers: a storage that is away has an answer of its own.
  const bytes = isSent ? await file.read(range && { start, end }) : undefined;
  res.setHeader("Cache-Control", caching);
  shareWithApps(res);
  res.setHeader("Accept-Ranges", "bytes");
  res.setHeader("Content-Disposition", "inline");
  res.type("image/webp");
  if (ranges === -1) {
    res.status(416).setHeader("Content-Range", `bytes */${file.size}`);
    return void res.end();
  }
  if (range !== undefined)
    res.status(206).setHeader("Content-Range", `bytes ${start}-${end}/${file.size}`);
  res.setHeader("Content-Length", end - start + 1);
  if (bytes === undefined) return void res.end();
  await pipeline(bytes, res).catch((error: unknown) => {
    // The client has gone, or the storage has: either way the answer ends here.
    if (!res.closed) ctx.log.warn({ err: error }, "a picture was not sent whole");
    res.destroy();
  });
}

/** Serves avatars without a session; public and cacheable for good. */
export function avatarPictures(router: Router, ctx: Ctx): void {
  router.get(missingHeader, async ({ path }, res) =>
    sendAvatar(res, "image/png", await drawDefault(path), forGood),
  );

  router.get("/avatars/:file", async ({ path }, res) => {
    if (path.endsWith(".png"))
      return sendAvatar(res, "image/png", await drawDefault(path), forGood);
    const [, id, digest] = /^\/avatars\/([1-9]\d{0,14})-([0-9a-f]{16})\.webp$/.exec(path) ?? [];
    if (id === undefined || digest === undefined)
      return sendAvatar(res, "image/svg+xml", drawLetter(path), forGood);
    const picture = await findAvatar(ctx, userId(id), digest);
    const present = picture === undefined ? await presentAddress(ctx, res, userId(id)) : undefined;
    if (present === undefined) sendAvatar(res, "image/webp", picture, forBrowsers);
    else {
      shareWithApps(res);
      res.setHeader("Cache-Control", "public, max-age=600");
      res.redirect(302, present);
    }
  });
}

/**
 * Where an avatar is now: apps keep former addresses. Undefined on a site for members, as there an address must not
 * be learned by guessing another.
 */
async function presentAddress(ctx: Ctx, res: Response, id: UserId): Promise<string | undefined> {
  const user = res.locals.site.read === "public" ? await findUser(ctx, id) : undefined;
  return user?.suspended === false ? avatarPath(user) : undefined;
}

/** Throws NotFound, which is not cached: the address may have a picture later. */
function sendAvatar(
  res: Response,
  type: string,
  picture: Buffer | string | undefined,
  caching: string,
): void {
  shareWithApps(res);
  if (picture === undefined) throw new NotFound("avatar");
  res.setHeader("Cache-Control", cachingOf(res, caching));
  res.type(type).send(picture);
}

/** Caching of a picture: on a site for members no shared cache keeps it. */
function cachingOf({ locals }: Response, caching: string): string {
  return locals.site.read === "public" ? caching : privately;
}
