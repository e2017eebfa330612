import type { RequestHandler, Response, Router } from "express";
import { z } from "zod";
import type { Ctx } from "../../../context.ts";
import { type LogoFile, logoFiles } from "../../../domain/drawing/logo.ts";
import { NotFound, required } from "../../../domain/errors.ts";
import { recordSiteEntry } from "../../../domain/moderation/audit.ts";
import { isOutage } from "../../../domain/outage.ts";
import {
  changeLogo,
  checkSite,
  findLogo,
  prepareLogo,
  removeLogo,
} from "../../../domain/site/edit.ts";
import { readModes, readSite, signUpModes, writeSite } from "../../../domain/site/settings.ts";
import { presentBranding, renderAccent } from "../../layout/branding.ts";
import { readChanges, shownMarks, withMarks } from "../../layout/form-changes.ts";
import { anyFile, formOf, nextPath, readForm, showForm, textsOf, tick } from "../../layout/form.ts";
import { confirmation } from "../../request/confirmation.ts";
import { formPage, picturePage, type ShowForm } from "../../request/refusals.ts";
import { requireViewer } from "../../request/reader.ts";
import { putAway } from "../../request/site.ts";
import { shareWithApps } from "../../server/send-public.ts";
import { titleOf } from "../moderation/view.ts";

/** A field that may be missing. */
const optional = z.string().optional();

/** What admins decide about the site. */
const siteForm = formOf("/admin/site", {
  fields: {
    name: optional,
    tagline: optional,
    description: optional,
    contact: optional,
    accent: optional,
    announcement: optional,
    rules: optional,
    signUp: z.enum(signUpModes),
    read: z.enum(readModes),
    membersInvite: tick,
  },
  hidden: { shownMarks },
});

const logoForm = formOf("/admin/site/logo", { secrets: { logo: anyFile } });

const saved = `${siteForm.action}?saved`;

/** What admins decide about the site; adminPages refuses other users. */
export function sitePages(router: Router, ctx: Ctx, secret: string): void {
  /** Shows both forms: with what was typed if the one of the settings was refused, else with what is stored. */
  const show: ShowForm = (req, res, problems) => {
    const { words, site } = res.locals;
    const isTyped = req.body !== undefined;
    const stored = { ...site, contact: site.contact.replace(/^mailto:/, "") };
    const values = isTyped ? textsOf(req.body) : textsOf(withMarks(siteForm, stored));
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

  formPage(router, siteForm.action, {
    show,
    checks: [confirmation(ctx, secret).first()],
    async submit(req, res) {
      const changes = checkSite(readChanges(siteForm, req.body));
      const before = await readSite(ctx);
      const fields = Object.keys(changes) as (keyof typeof changes)[];
      const changed = fields.filter((field) => changes[field] !== before[field]);
      const entry = { by: requireViewer(res).id, verb: "site", note: changed.join(", ") } as const;
      if (changed.length > 0) await recordSiteEntry(ctx, entry);
      await writeSite(ctx, changes);
      res.redirect(303, saved);
    },
  });

  picturePage(ctx, router, logoForm, {
    show(req, res, problems) {
      req.body = undefined;
      return show(req, res, problems);
    },
    done: saved,
    async change(_ctx, by, picture) {
      const logo = await prepareLogo(picture);
      await recordSiteEntry(ctx, { by, verb: "site", note: "logo" });
      await changeLogo(ctx, logo);
    },
    async remove(_ctx, by) {
      await recordSiteEntry(ctx, { by, verb: "site", note: "logo" });
      await removeLogo(ctx);
    },
  });
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
    return logo === "" ? undefined : await findLogo(ctx, file);
  } catch (error) {
    if (!isOutage(error)) throw error;
    return undefined;
  }
}

/** The logo and the colours of the site. The log-in page of a site for members needs them, too. */
export function brandingPages(router: Router, ctx: Ctx): void {
  router.get("/logo/:digest/:file", async (req, res) => {
    const file = logoFiles.find((name) => name === req.params.file);
    const picture = file && (await findLogo(ctx, file, req.params.digest));
    // Not cached: the address may have a picture later.
    if (file === undefined || picture === undefined) throw new NotFound("logo");
    send(res, file, picture, forGood);
  });

  router.get("/accent/:file", (req, res) => {
    const [, digits = ""] = /^([0-9a-f]{6})\.css$/.exec(req.params.file) ?? [];
    const style = required(digits === "" ? undefined : renderAccent(`#${digits}`), "accent");
    res.setHeader("Cache-Control", forGood);
    res.type("css").send(style);
  });
}

/** Puts the announcement with this digest away. */
const announcementForm = formOf("/announcement", {
  hidden: { announcement: z.string().regex(/^[0-9a-f]{16}$/), next: nextPath },
});

/** Keeps in a cookie, signed in or not, which announcement the viewer has put away. */
export function announcementPages(router: Router): void {
  router.post(announcementForm.action, (req, res) => {
    const { announcement, next } = readForm(announcementForm, req.body);
    putAway(res, announcement);
    res.redirect(303, next);
  });
}

function send(res: Response, file: LogoFile, picture: Buffer, caching: string): void {
  res.setHeader("Cache-Control", caching);
  shareWithApps(res);
  res.type(file.endsWith(".webp") ? "image/webp" : "image/png").send(picture);
}
