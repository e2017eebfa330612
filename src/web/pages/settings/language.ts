import { type Request, type RequestHandler, type Response, Router } from "express";
import type { Ctx } from "../../../context.ts";
import { Invalid, type Problems } from "../../../domain/errors.ts";
import { chooseLanguage } from "../../../domain/users/settings.ts";
import { readForm, showForm } from "../../forms/form.ts";
import { languageForm } from "../../forms/language.ts";
import type { Languages } from "../../languages/languages.ts";
import { onRefusal } from "../../middleware/errors.ts";
import { languageCookie, requireReader } from "../../middleware/language.ts";
import { limitAct } from "../../middleware/limits.ts";
import { viewerOf } from "../../middleware/session.ts";
import { presentLanguages } from "../../present/languages.ts";
import { settingsFrame } from "./settings.ts";

const path = "/settings/language";
const cookieMilliseconds = 365 * 24 * 60 * 60 * 1000;

/** Language of the site: stored with the account or, if signed out, in a cookie. */
export function languagePages(ctx: Ctx, languages: Languages): Router {
  const router = Router();
  router.get(path, (req, res) => showLanguages(languages, req, res));
  router.post(
    languageForm.action,
    showAgain(languages),
    limitAct(ctx, "profile"),
    async (req, res) => {
      const { language, next } = readForm(languageForm, req.body);
      if (language !== "" && !languages.tags.includes(language))
        throw new Invalid({ language: "field.malformed" });
      const viewer = viewerOf(res);
      if (viewer === undefined) remember(res, language);
      else await chooseLanguage(ctx, viewer, language);
      res.redirect(303, next);
    },
  );
  return router;
}

/** The settings page for signed-in users; others pressed a button in the footer. */
function showAgain(languages: Languages): RequestHandler {
  const show = onRefusal(async (req, res, problems) =>
    showLanguages(languages, req, res, problems),
  );
  return (req, res, next) => {
    if (viewerOf(res) === undefined) next();
    else show(req, res, next);
  };
}

function showLanguages(
  languages: Languages,
  req: Request,
  res: Response,
  problems: Problems = {},
): void {
  const { viewer, words } = requireReader(res);
  res.render("settings/language", {
    ...settingsFrame(words, path, "settings.language"),
    form: showForm(words, languageForm, { next: `${path}?saved` }, problems),
    choices: presentLanguages(words, languages, viewer.language),
    saved: "saved" in req.query ? words.t("settings.languageSaved") : undefined,
  });
}

function remember(res: Response, language: string): void {
  const options = { httpOnly: true, sameSite: "lax", secure: res.req.secure } as const;
  if (language === "") res.clearCookie(languageCookie, options);
  else res.cookie(languageCookie, language, { ...options, maxAge: cookieMilliseconds });
}
