import { type Response, Router } from "express";
import type { Ctx } from "../../context.ts";
import { NotFound } from "../../domain/errors.ts";
import { userId } from "../../domain/ids.ts";
import { findAvatar } from "../../domain/users/avatars.ts";
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
    send(res, "image/webp", await findAvatar(ctx, userId(id), digest), forBrowsers);
  });

  return router;
}

/** Throws NotFound, which is not cached: the address may have a picture later. */
function send(
  res: Response,
  type: string,
  picture: Buffer | string | undefined,
  caching: string,
): void {
  if (picture === undefined) throw new NotFound("avatar");
  const isPublic = res.locals.site.read === "public";
  res.setHeader("Cache-Control", isPublic ? caching : "private, max-age=31536000, immutable");
  shareWithApps(res);
  res.type(type).send(picture);
}
