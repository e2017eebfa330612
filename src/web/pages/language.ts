import { type Response, Router } from "express";
import type { Ctx } from "../../context.ts";
import { Invalid } from "../../domain/errors.ts";
import { chooseLanguage } from "../../domain/users/settings.ts";
import { readForm } from "../forms/form.ts";
import { languageForm } from "../forms/language.ts";
import type { Languages } from "../languages/languages.ts";
import { languageCookie } from "../middleware/language.ts";
import { viewerOf } from "../middleware/session.ts";

const cookieMilliseconds = 365 * 24 * 60 * 60 * 1000;

/** What the site speaks: kept with the account or, for somebody who is signed out, in a cookie. */
export function languagePages(ctx: Ctx, languages: Languages): Router {
  const router = Router();
  router.post("/language", async (req, res) => {
    const { language, next } = readForm(languageForm, req.body);
    if (language !== "" && !languages.tags.includes(language))
      throw new Invalid({ language: "field.malformed" });
    const viewer = viewerOf(res);
    if (viewer === undefined) remember(res, language);
    else await chooseLanguage(ctx, viewer, language);
    res.redirect(303, next);
  });
  return router;
}

function remember(res: Response, language: string): void {
  const options = { httpOnly: true, sameSite: "lax", secure: res.req.secure } as const;
  if (language === "") res.clearCookie(languageCookie, options);
  else res.cookie(languageCookie, language, { ...options, maxAge: cookieMilliseconds });
}
