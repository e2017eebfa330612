import type { Request, Response, Router } from "express";
import type { Ctx } from "../../../context.ts";
import { Invalid, type Problems } from "../../../domain/errors.ts";
import { changeHeader, removeHeader } from "../../../domain/pictures/header.ts";
import { changeAvatar, removeAvatar } from "../../../domain/users/avatars.ts";
import { themes } from "../../../domain/users/store.ts";
import { chooseLanguage, chooseTheme, editProfile } from "../../../domain/users/settings.ts";
import type { Languages } from "../../languages/translator.ts";
import { readChanges, withMarks } from "../../layout/form-changes.ts";
import { readForm, showForm } from "../../layout/form.ts";
import { presentHeader } from "../../layout/pictures.ts";
import { languageCookie, requireReader, requireViewer, viewerOf } from "../../request/reader.ts";
import { setCookie } from "../../request/session.ts";
import { limitVerb } from "../../request/limits.ts";
import { formPage, onRefusal, picturePage, type ShowForm } from "../../request/refusals.ts";
import { avatarForm, headerForm, languageForm, profileForm, themeForm } from "./form.ts";
import { settingsFrame } from "./view.ts";

const saved = "/settings/profile?saved";

/** What users tell about themselves, with the two pictures of their profile. */
export function profileSettings(router: Router, ctx: Ctx): void {
  /** `typed`: a submitted profile; default: the stored one. */
  const show = (req: Request, res: Response, problems: Problems, typed?: unknown) => {
    const { viewer, words } = requireReader(res);
    res.render("settings/profile", {
      ...settingsFrame(words, profileForm.action, "settings.profile"),
      form: showForm(words, profileForm, typed ?? withMarks(profileForm, viewer), problems),
      avatarForm: showForm(words, avatarForm, {}, problems),
      removeUrl: viewer.avatar === "" ? undefined : `${avatarForm.action}/remove`,
      headerForm: ctx.storage && showForm(words, headerForm, {}, problems),
      header: presentHeader(viewer),
      removeHeaderUrl: viewer.header === "" ? undefined : `${headerForm.action}/remove`,
      saved: "saved" in req.query ? words.t("settings.profileSaved") : undefined,
    });
  };

  formPage(router, profileForm.action, {
    show: (req, res, problems) => show(req, res, problems, req.body),
    checks: [limitVerb(ctx, "profile")],
    async submit(req, res) {
      await editProfile(ctx, requireViewer(res), readChanges(profileForm, req.body));
      res.redirect(303, saved);
    },
  });

  const page = { show, done: saved };
  picturePage(ctx, router, avatarForm, { ...page, change: changeAvatar, remove: removeAvatar });
  picturePage(ctx, router, headerForm, { ...page, change: changeHeader, remove: removeHeader });
}

const path = "/settings/language";

/** Language of the site: stored with the account or, if signed out, in a cookie. The theme of an account. */
export function languageSettings(router: Router, ctx: Ctx, languages: Languages): void {
  const show: ShowForm = (req, res, problems) => {
    const { viewer, words } = requireReader(res);
    const done = req.query["saved"] === "theme" ? "settings.themeSaved" : "settings.languageSaved";
    res.render("settings/language", {
      ...settingsFrame(words, path, "settings.display"),
      form: showForm(words, languageForm, { next: `${path}?saved` }, problems),
      chosen: viewer.language,
      themeForm: showForm(words, themeForm, {}, problems),
      themes,
      chosenTheme: viewer.theme,
      saved: "saved" in req.query ? words.t(done) : undefined,
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
    limitVerb(ctx, "profile"),
    async (req, res) => {
      const { language, next } = readForm(languageForm, req.body);
      if (language !== "" && !languages.tags.includes(language))
        throw new Invalid({ language: "field.malformed" });
      const viewer = viewerOf(res);
      if (viewer === undefined) setCookie(res, languageCookie, language || undefined);
      else await chooseLanguage(ctx, viewer, language);
      res.redirect(303, next);
    },
  );

  router.post(themeForm.action, showAgain, limitVerb(ctx, "profile"), async (req, res) => {
    const viewer = requireViewer(res);
    await chooseTheme(ctx, viewer, readForm(themeForm, req.body).theme);
    res.redirect(303, `${path}?saved=theme`);
  });
}
