import { type Response, Router } from "express";
import type { Ctx } from "../../context.ts";
import { NotFound } from "../../domain/errors.ts";
import { userId } from "../../domain/ids.ts";
import { findAvatar } from "../../domain/users/avatars.ts";
import { drawLetter } from "../present/avatars.ts";

const forGood = "public, max-age=31536000, immutable";
/** What stands between browsers and the site asks again: a picture may be taken away by a moderator. */
const forBrowsers = "public, max-age=31536000, s-maxage=600, immutable";

/** Avatars, for whoever asks: without a session, and to be kept for good wherever they pass. */
export function avatarPictures(ctx: Ctx): Router {
  const router = Router();

  router.get("/avatars/:file", async (req, res) => {
    const [, id, digest] = /^\/avatars\/([1-9]\d{0,14})-([0-9a-f]{16})\.webp$/.exec(req.path) ?? [];
    if (id === undefined || digest === undefined) {
      send(res, "image/svg+xml", drawLetter(req.path), forGood);
      return;
    }
    send(res, "image/webp", await findAvatar(ctx, userId(id), digest), forBrowsers);
  });

  return router;
}

/** Throws NotFound, so that nobody keeps what an address might show later. */
function send(
  res: Response,
  type: string,
  picture: Buffer | string | undefined,
  caching: string,
): void {
  if (picture === undefined) throw new NotFound("avatar");
  res.setHeader("Cache-Control", caching);
  // Apps in browsers stand on other sites and show them as pictures, which CORS is not asked about.
  res.setHeader("Cross-Origin-Resource-Policy", "cross-origin");
  res.type(type).send(picture);
}
