import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../context.ts";
import { absoluteSeconds, idleSeconds } from "../../domain/users/sessions.ts";
import { findUserByName } from "../../domain/users/store.ts";
import { presentContact } from "../present/contact.ts";
import { presentName } from "../present/people.ts";
import { version } from "../version.ts";

const day = 24 * 60 * 60;

/** Who runs the site on what, and what it keeps about people: for anybody. */
export function aboutPages(ctx: Ctx): Router {
  const router = Router();
  router.get("/about", async (_req, res) => {
    const { contact, sourceUrl } = ctx.config;
    res.render("about/about", {
      page: { title: "About · Suzume", path: "/about" },
      admins: await presentAdmins(ctx),
      contact: contact === undefined ? undefined : presentContact(contact),
      version,
      source: sourceUrl,
    });
  });
  router.get("/privacy", (_req: Request, res: Response) => {
    res.render("about/privacy", {
      page: { title: "Privacy · Suzume", path: "/privacy" },
      sessionDays: idleSeconds / day,
      longestDays: absoluteSeconds / day,
      traceDays: ctx.config.timelineTtlDays,
    });
  });
  return router;
}

/** A name that nobody has yet is not shown: whoever took it would be an admin. */
async function presentAdmins(ctx: Ctx) {
  if (!ctx.config.showAdmins) return [];
  const found = await Promise.all(ctx.config.admins.map((name) => findUserByName(ctx, name)));
  return found.filter((user) => user !== undefined).map((user) => presentName(user));
}
