import { type Response, Router } from "express";
import type { Ctx } from "../../context.ts";
import { NotFound } from "../../domain/errors.ts";
import { type UserId, userId } from "../../domain/ids.ts";
import { avatarPath, findAvatar } from "../../domain/users/avatars.ts";
import { findUser } from "../../domain/users/store.ts";
import { drawLetter } from "../present/avatars.ts";
import { drawDefault, missingHeader } from "../present/default-pictures.ts";
import { shareWithApps } from "../send-public.ts";

const forGood = "public, max-age=31536000, immutable";
/** Browsers keep pictures for good; shared caches ask again, as a moderator may remove a picture. */
const forBrowsers = "public, max-age=31536000, s-maxage=600, immutable";

/** Serves avatars without a session; public and cacheable for good. */
export function avatarPictures(ctx: Ctx): Router {
  const router = Router();

  router.get(missingHeader, async (req, res) => {
    send(res, "image/png", await drawDefault(req.path), forGood);
  });

  router.get("/avatars/:file", async (req, res) => {
    if (req.path.endsWith(".png")) {
      send(res, "image/png", await drawDefault(req.path), forGood);
      return;
    }
    const [, id, digest] = /^\/avatars\/([1-9]\d{0,14})-([0-9a-f]{16})\.webp$/.exec(req.path) ?? [];
    if (id === undefined || digest === undefined) {
      send(res, "image/svg+xml", drawLetter(req.path), forGood);
      return;
    }
    const picture = await findAvatar(ctx, userId(id), digest);
    const present = picture === undefined && (await presentAddress(ctx, res, userId(id)));
    if (present) leadTo(res, present);
    else send(res, "image/webp", picture, forBrowsers);
  });

  return router;
}

/**
 * Where an avatar is now: apps keep former addresses. Undefined on a site for members, as there an address must not
 * be learned by guessing another.
 */
async function presentAddress(ctx: Ctx, res: Response, id: UserId): Promise<string | undefined> {
  const user = res.locals.site.read === "public" ? await findUser(ctx, id) : undefined;
  return user?.suspended === false ? avatarPath(user) : undefined;
}

function leadTo(res: Response, path: string): void {
  shareWithApps(res);
  res.setHeader("Cache-Control", "public, max-age=600");
  res.redirect(302, path);
}

/** Throws NotFound, which is not cached: the address may have a picture later. */
function send(
  res: Response,
  type: string,
  picture: Buffer | string | undefined,
  caching: string,
): void {
  shareWithApps(res);
  if (picture === undefined) throw new NotFound("avatar");
  const isPublic = res.locals.site.read === "public";
  res.setHeader("Cache-Control", isPublic ? caching : "private, max-age=31536000, immutable");
  res.type(type).send(picture);
}
