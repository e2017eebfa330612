import { pipeline } from "node:stream/promises";
import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../context.ts";
import { NotFound } from "../../domain/errors.ts";
import { userId } from "../../domain/ids.ts";
import { parseFileName } from "../../domain/pictures/picture.ts";
import { findUsers } from "../../domain/users/store.ts";
import type { StoredFile } from "../../storage/storage.ts";
import { shareWithApps } from "../send-public.ts";

/** Browsers keep pictures for good; shared caches ask again, as a picture may be removed. */
const caching = "public, max-age=31536000, s-maxage=600, immutable";
const privately = "private, max-age=31536000, immutable";

/**
 * Serves the pictures of tweets without a session: their addresses cannot be guessed. Whole or a range; no
 * pictures of users who are gone or suspended.
 */
export function tweetPictures(ctx: Ctx): Router {
  const router = Router();

  router.get("/pictures/:file", async (req, res) => {
    const name = req.params.file;
    const owner = parseFileName(name);
    if (owner === undefined || !(await isShown(ctx, owner.user))) throw new NotFound("picture");
    const file = await ctx.storage?.find(name);
    if (file === undefined) throw new NotFound("picture");
    await send(ctx, req, res, file);
  });

  return router;
}

async function isShown(ctx: Ctx, user: string): Promise<boolean> {
  const users = await findUsers(ctx, [userId(user)]);
  return users.get(userId(user))?.suspended === false;
}

async function send(ctx: Ctx, req: Request, res: Response, file: StoredFile): Promise<void> {
  const ranges = req.range(file.size);
  // Several ranges at once are not worth it: the answer is the whole file.
  const range = typeof ranges === "object" && ranges.length === 1 ? ranges[0] : undefined;
  const { start, end } = range ?? { start: 0, end: file.size - 1 };
  const isSent = req.method !== "HEAD" && ranges !== -1;
  // Before all headers: a storage that is away has an answer of its own.
  const bytes = isSent ? await file.read(range && { start, end }) : undefined;
  res.setHeader("Cache-Control", res.locals.site.read === "public" ? caching : privately);
  shareWithApps(res);
  res.setHeader("Accept-Ranges", "bytes");
  res.setHeader("Content-Disposition", "inline");
  res.type("image/webp");
  if (ranges === -1) {
    res.status(416).setHeader("Content-Range", `bytes */${file.size}`);
    res.end();
    return;
  }
  if (range !== undefined)
    res.status(206).setHeader("Content-Range", `bytes ${start}-${end}/${file.size}`);
  res.setHeader("Content-Length", end - start + 1);
  if (bytes === undefined) {
    res.end();
    return;
  }
  await pipeline(bytes, res).catch((error: unknown) => {
    // The client has gone, or the storage has: either way the answer ends here.
    if (!res.closed) ctx.log.warn({ err: error }, "a picture was not sent whole");
    res.destroy();
  });
}
