import { type RequestHandler, type Response, Router } from "express";
import { z } from "zod";
import type { Ctx } from "../../../context.ts";
import { type LogoFile, logoFiles } from "../../../domain/drawing/logo.ts";
import { Invalid, NotFound } from "../../../domain/errors.ts";
import { recordSiteEntry } from "../../../domain/moderation/audit.ts";
import { isOutage } from "../../../domain/outage.ts";
import { changeLogo, checkSite, findLogo, removeLogo } from "../../../domain/site/edit.ts";
import { readModes, readSite, signUpModes, writeSite } from "../../../domain/site/settings.ts";
import { presentBranding, renderAccent } from "../../layout/branding.ts";
import { type Form, nextPath, readForm, showForm, textsOf } from "../../layout/form.ts";
import { confirmation } from "../../request/confirmation.ts";
import { limitVerb } from "../../request/limits.ts";
import { fileIn, upload } from "../../request/uploads.ts";
import { formPage, onRefusal, type ShowForm } from "../../request/refusals.ts";
import { requireViewer } from "../../request/session.ts";
import { putAway } from "../../request/site.ts";
import { shareWithApps } from "../../server/send-public.ts";
import { titleOf } from "../moderation/view.ts";

/** A field that may be missing; a checkbox is sent only if it is checked. */
const optional = z.string().optional();
const texts = {
  name: optional,
  tagline: optional,
  description: optional,
  contact: optional,
  accent: optional,
  announcement: optional,
  rules: optional,
};

/** What admins decide about the site. */
const siteForm = {
  action: "/admin/site",
  fields: [...Object.keys(texts), "signUp", "read", "membersInvite"],
  schema: z.object({
    ...texts,
    signUp: z.enum(signUpModes),
    read: z.enum(readModes),
    membersInvite: optional.transform((value) => value !== undefined),
  }),
} satisfies Form<unknown>;

/** The file itself is read by request/uploads.ts. */
const logoForm = {
  action: "/admin/site/logo",
  secrets: ["logo"],
  schema: z.object({}),
} satisfies Form<unknown>;

const saved = `${siteForm.action}?saved`;

/** What admins decide about the site; adminPages refuses other users. */
export function sitePages(ctx: Ctx, secret: string): Router {
  const router = Router();
  /** Shows both forms: with what was typed if the one of the settings was refused, else with what is stored. */
  const show: ShowForm = (req, res, problems) => {
    const { words, site } = res.locals;
    const isTyped = req.body !== undefined;
    const stored = { ...site, contact: site.contact.replace(/^mailto:/, "") };
    const values = isTyped ? textsOf(req.body) : textsOf(stored);
    res.render("admin/site", {
      title: titleOf(words, "site.title"),
      form: showForm(words, siteForm, values, problems),
      logoForm: showForm(words, logoForm, {}, problems),
      logo: presentBranding(site).logo?.large,
      signUpModes,
      readModes,
      membersInvite: isTyped ? values["membersInvite"] !== undefined : site.membersInvite,
      isSaved: "saved" in req.query,
    });
  };

  formPage(router, siteForm.action, show, confirmation(ctx, secret).first(), async (req, res) => {
    const changes = checkSite(readForm(siteForm, req.body));
    const before = await readSite(ctx);
    const fields = Object.keys(changes) as (keyof typeof changes)[];
    const changed = fields.filter((field) => changes[field] !== before[field]);
    const entry = { by: requireViewer(res).id, verb: "site", note: changed.join(", ") } as const;
    if (changed.length > 0) await recordSiteEntry(ctx, entry);
    await writeSite(ctx, changes);
    res.redirect(303, saved);
  });

  router.post(
    logoForm.action,
    onRefusal((req, res, problems) => {
      req.body = undefined;
      return show(req, res, problems);
    }),
    limitVerb(ctx, "upload"),
    upload("logo"),
    async (req, res) => {
      const picture = fileIn(req);
      if (picture === undefined) throw new Invalid({ logo: "avatar.missing" });
      await changeLogo(ctx, picture);
      await recordSiteEntry(ctx, { by: requireViewer(res).id, verb: "site", note: "logo" });
      res.redirect(303, saved);
    },
  );
  router.post(`${logoForm.action}/remove`, async (_req, res) => {
    await recordSiteEntry(ctx, { by: requireViewer(res).id, verb: "site", note: "logo" });
    await removeLogo(ctx);
    res.redirect(303, saved);
  });
  return router;
}

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

/** The site's logo; undefined in an outage, so that the sparrow is shown. */
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

/** Puts the announcement with this digest away. */
const announcementForm = {
  action: "/announcement",
  hidden: ["announcement", "next"],
  schema: z.object({ announcement: z.string().regex(/^[0-9a-f]{16}$/), next: nextPath }),
} satisfies Form<unknown>;

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
