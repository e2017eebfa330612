import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../context.ts";
import { hasMail } from "../../domain/accounts/mails.ts";
import { absoluteSeconds, idleSeconds } from "../../domain/users/sessions.ts";
import { findUserByName } from "../../domain/users/store.ts";
import { wordsOf } from "../middleware/language.ts";
import { presentEndpoints } from "./api-docs.ts";
import { presentContact } from "../present/contact.ts";
import { firstSteps } from "../present/first-steps.ts";
import { presentName } from "../present/people.ts";
import { siteOrigin } from "../send-public.ts";
import { version } from "../version.ts";

const day = 24 * 60 * 60;

/** Public pages: who runs the site and with which software, and what it stores about users. */
export function aboutPages(ctx: Ctx): Router {
  const router = Router();
  router.get("/about", async (_req, res) => {
    const { contact, sourceUrl } = ctx.config;
    const words = wordsOf(res);
    res.render("about/about", {
      page: { title: `${words.t("nav.about")} · Suzume`, path: "/about" },
      admins: await presentAdmins(ctx),
      contact:
        contact === undefined
          ? undefined
          : words.pieces("about.writeTo", { contact: presentContact(contact) }),
      software: words.pieces("about.suzume", { bird: { lang: "ja", text: "雀" }, version }),
      source: sourceUrl,
    });
  });
  router.get("/privacy", (_req: Request, res: Response) => {
    const words = wordsOf(res);
    const takeAlong = { href: "/settings/data", text: words.t("privacy.takeAlong") };
    const leave = { href: "/settings/account/delete", text: words.t("privacy.leave") };
    res.render("about/privacy", {
      page: { title: `${words.t("nav.privacy")} · Suzume`, path: "/privacy" },
      sessionDays: { idleDays: idleSeconds / day, longestDays: absoluteSeconds / day },
      hasMail: hasMail(ctx),
      traceDays: words.counted(ctx.config.timelineTtlDays),
      yours: words.pieces("privacy.yoursText", { takeAlong, leave }),
    });
  });
  router.get("/about/api", (req, res) => {
    const words = wordsOf(res);
    const address = "/api/openapi.json";
    res.render("about/api", {
      page: { title: `${words.t("api.title")} · Suzume`, path: "/about/api" },
      steps: firstSteps(siteOrigin(ctx, req)),
      document: words.pieces("api.document", { link: { text: address, href: address } }),
      nouns: presentEndpoints(),
    });
  });
  return router;
}

/** Names without an account are not shown: anyone who signed up with one would be an admin. */
async function presentAdmins(ctx: Ctx) {
  if (!ctx.config.showAdmins) return [];
  const found = await Promise.all(ctx.config.admins.map((name) => findUserByName(ctx, name)));
  return found.filter((user) => user !== undefined).map((user) => presentName(user));
}
