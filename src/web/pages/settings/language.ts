import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../../context.ts";
import { Invalid } from "../../../domain/errors.ts";
import { chooseLanguage, chooseTheme } from "../../../domain/users/settings.ts";
import { readForm, showForm } from "../../forms/form.ts";
import { languageForm, themeForm } from "../../forms/accounts.ts";
import type { Languages } from "../../languages/languages.ts";
import type { Translator } from "../../languages/translator.ts";
import { languageCookie, requireReader } from "../../middleware/language.ts";
import { limitAct } from "../../middleware/limits.ts";
import { onRefusal, type ShowForm } from "../../middleware/refusals.ts";
import { requireViewer, viewerOf } from "../../middleware/session.ts";
import { presentLanguages, presentThemes, settingsFrame } from "../../present/settings.ts";

const path = "/settings/language";
const cookieMilliseconds = 365 * 24 * 60 * 60 * 1000;

/** Language of the site: stored with the account or, if signed out, in a cookie. The theme of an account. */
export function languageSettings(ctx: Ctx, languages: Languages): Router {
  const router = Router();
  const show: ShowForm = (req, res, problems) => {
    const { viewer, words } = requireReader(res);
    res.render("settings/language", {
      ...settingsFrame(words, path, "settings.display"),
      form: showForm(words, languageForm, { next: `${path}?saved` }, problems),
      choices: presentLanguages(words, languages, viewer.language),
      themeForm: showForm(words, themeForm, {}, problems),
      themes: presentThemes(words, viewer.theme),
      saved: savedIn(req, words),
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

  router.post(themeForm.action, showAgain, limitAct(ctx, "profile"), async (req, res) => {
    const viewer = requireViewer(res);
    await chooseTheme(ctx, viewer, readForm(themeForm, req.body).theme);
    res.redirect(303, `${path}?saved=theme`);
  });
  return router;
}

function savedIn({ query }: Request, words: Translator): string | undefined {
  if (!("saved" in query)) return undefined;
  return words.t(query["saved"] === "theme" ? "settings.themeSaved" : "settings.languageSaved");
}

function remember(res: Response, language: string): void {
  const options = { httpOnly: true, sameSite: "lax", secure: res.req.secure } as const;
  if (language === "") res.clearCookie(languageCookie, options);
  else res.cookie(languageCookie, language, { ...options, maxAge: cookieMilliseconds });
}
