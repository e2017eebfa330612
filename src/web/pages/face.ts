import { type RequestHandler, type Response, Router } from "express";
import type { Ctx } from "../../context.ts";
import { NotFound } from "../../domain/errors.ts";
import { isOutage } from "../../domain/outage.ts";
import { type LogoFile, logoFiles } from "../../domain/drawing/logo.ts";
import { findLogo } from "../../domain/site/logo.ts";
import { readSite } from "../../domain/site/settings.ts";
import { readForm } from "../forms/form.ts";
import { announcementForm } from "../forms/site.ts";
import { putAway } from "../middleware/announcement.ts";
import { renderAccent } from "../present/face.ts";
import { shareWithApps } from "../send-public.ts";

const forGood = "public, max-age=31536000, immutable";
const anHour = "public, max-age=3600";

/** Fixed addresses that browsers and feed readers ask for without having seen a page. */
const fixed: ReadonlyMap<string, LogoFile> = new Map([
  ["/favicon.ico", "favicon.png"],
  ["/icon.png", "icon.png"],
  ["/icon-192.png", "icon-192.png"],
  ["/icon-maskable.png", "icon-maskable.png"],
  ["/apple-touch-icon.png", "apple-touch-icon.png"],
]);

/** Sends the logo in place of the sparrow at fixed addresses; comes before the sparrow's own. */
export function logoIcons(ctx: Ctx): RequestHandler {
  return async (req, res, next) => {
    const file = fixed.get(req.path);
    const reads = req.method === "GET" || req.method === "HEAD";
    const picture = file && reads ? await findCurrentLogo(ctx, file) : undefined;
    if (file === undefined || picture === undefined) next();
    else send(res, file, picture, anHour);
  };
}

/** In an outage there is the sparrow. */
async function findCurrentLogo(ctx: Ctx, file: LogoFile): Promise<Buffer | undefined> {
  try {
    const { logo } = await readSite(ctx);
    return logo === "" ? undefined : await findLogo(ctx, logo, file);
  } catch (error) {
    if (!isOutage(error)) throw error;
    return undefined;
  }
}

/** The logo and the colours of the site. The log-in page of a site for members needs them, too. */
export function facePages(ctx: Ctx): Router {
  const router = Router();

  router.get("/logo/:digest/:file", async (req, res) => {
    const file = logoFiles.find((name) => name === req.params.file);
    const picture = file && (await findLogo(ctx, req.params.digest, file));
    // Not cached: the address may have a picture later.
    if (file === undefined || picture === undefined) throw new NotFound("logo");
    send(res, file, picture, forGood);
  });

  router.get("/accent/:file", (req, res) => {
    const [, digits = ""] = /^([0-9a-f]{6})\.css$/.exec(req.params.file) ?? [];
    const style = digits === "" ? undefined : renderAccent(`#${digits}`);
    if (style === undefined) throw new NotFound("accent");
    res.setHeader("Cache-Control", forGood);
    res.type("css").send(style);
  });

  return router;
}

/** Keeps in a cookie, signed in or not, which announcement the viewer has put away. */
export function announcementPages(): Router {
  const router = Router();
  router.post(announcementForm.action, (req, res) => {
    const { announcement, next } = readForm(announcementForm, req.body);
    putAway(res, announcement);
    res.redirect(303, next);
  });
  return router;
}

function send(res: Response, file: LogoFile, picture: Buffer, caching: string): void {
  res.setHeader("Cache-Control", caching);
  shareWithApps(res);
  res.type(file.endsWith(".webp") ? "image/webp" : "image/png").send(picture);
}
