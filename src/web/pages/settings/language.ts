import { type Response, Router } from "express";
import type { Ctx } from "../../../context.ts";
import { Invalid } from "../../../domain/errors.ts";
import { chooseLanguage } from "../../../domain/users/settings.ts";
import { readForm, showForm } from "../../forms/form.ts";
import { languageForm } from "../../forms/accounts.ts";
import type { Languages } from "../../languages/languages.ts";
import { languageCookie, requireReader } from "../../middleware/language.ts";
import { limitAct } from "../../middleware/limits.ts";
import { onRefusal, type ShowForm } from "../../middleware/refusals.ts";
import { viewerOf } from "../../middleware/session.ts";
import { presentLanguages, settingsFrame } from "../../present/settings.ts";

const path = "/settings/language";
const cookieMilliseconds = 365 * 24 * 60 * 60 * 1000;

/** Language of the site: stored with the account or, if signed out, in a cookie. */
export function languageSettings(ctx: Ctx, languages: Languages): Router {
  const router = Router();
  const show: ShowForm = (req, res, problems) => {
    const { viewer, words } = requireReader(res);
    res.render("settings/language", {
      ...settingsFrame(words, path, "settings.language"),
      form: showForm(words, languageForm, { next: `${path}?saved` }, problems),
      choices: presentLanguages(words, languages, viewer.language),
      saved: "saved" in req.query ? words.t("settings.languageSaved") : undefined,
    });
  };
  const showAgain = onRefusal(show);

  router.get(path, (req, res) => show(req, res, {}));
  router.post(
    languageForm.action,
    (req, res, next) => {
      // Signed-out readers pressed a button in the footer: there is no page to show again.
      if (viewerOf(res) === undefined) next();
      else showAgain(req, res, next);
    },
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

function remember(res: Response, language: string): void {
  const options = { httpOnly: true, sameSite: "lax", secure: res.req.secure } as const;
  if (language === "") res.clearCookie(languageCookie, options);
  else res.cookie(languageCookie, language, { ...options, maxAge: cookieMilliseconds });
}
