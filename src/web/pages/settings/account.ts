import { type Response, Router } from "express";
import type { Ctx } from "../../../context.ts";
import { changePassword } from "../../../domain/accounts/change-password.ts";
import { deleteAccount } from "../../../domain/accounts/erase.ts";
import { hasMail } from "../../../domain/accounts/mails.ts";
import { foldName } from "../../../domain/users/store.ts";
import { readForm, showForm } from "../../forms/form.ts";
import { deletionForm, passwordForm } from "../../forms/accounts.ts";
import { addressForm } from "../../forms/rescue.ts";
import { passwordOrAnotherWay, passwordOrConfirmed } from "../../middleware/confirmation.ts";
import { limitPasswordGuesses } from "../../middleware/guesses.ts";
import { knownBrowsers } from "../../middleware/known-browser.ts";
import { requireReader } from "../../middleware/language.ts";
import { formPage } from "../../middleware/refusals.ts";
import { requireViewer, signIn, signOut, viewerOf } from "../../middleware/session.ts";
import { settingsFrame } from "../../present/settings.ts";

/** What needs the password of the account: a change of it, and the end of the account. */
export function accountSettings(ctx: Ctx, secret: string): Router {
  const router = Router();
  const browsers = knownBrowsers(secret);
  const attempt = limitPasswordGuesses(ctx);

  formPage(
    router,
    passwordForm.action,
    async (req, res, problems) => {
      const { viewer, words } = requireReader(res);
      res.render("settings/account", {
        ...settingsFrame(words, passwordForm.action, "settings.account"),
        form: showForm(words, passwordForm, {}, problems),
        ...(await passwordOrAnotherWay(ctx, req, viewer, passwordForm.action)),
        mailUrl: hasMail(ctx) ? addressForm.action : undefined,
        saved: "saved" in req.query ? words.t("settings.passwordChanged") : undefined,
      });
    },
    async (req, res) => {
      const viewer = requireViewer(res);
      const { current_password: typed, new_password: next } = readForm(passwordForm, req.body);
      const current = passwordOrConfirmed(ctx, req, { field: "current_password", typed });
      const admission = await attempt(viewer.id, () =>
        changePassword(ctx, viewer, { current, next }),
      );
      await signIn(ctx, req, admission);
      const { generation } = admission;
      // The new password has ended the mark of this browser, too.
      browsers.remember(req, res, { name: foldName(viewer.name), generation });
      res.redirect(303, "/settings/account?saved");
    },
  );

  formPage(
    router,
    deletionForm.action,
    async (req, res, problems) => {
      if ("done" in req.query && viewerOf(res) === undefined) return showGoodbye(res);
      const { viewer, words } = requireReader(res);
      const link = { href: "/settings/data", text: words.t("leaving.takeAlongLink") };
      res.render("settings/delete", {
        ...settingsFrame(words, "/settings/account", "leaving.title"),
        name: viewer.name,
        takeAlong: words.pieces("leaving.takeAlong", { link }),
        form: showForm(words, deletionForm, req.body, problems),
        ...(await passwordOrAnotherWay(ctx, req, viewer, deletionForm.action)),
      });
    },
    async (req, res) => {
      const viewer = requireViewer(res);
      const { name, password: typed } = readForm(deletionForm, req.body);
      const password = passwordOrConfirmed(ctx, req, { field: "password", typed });
      await attempt(viewer.id, () => deleteAccount(ctx, viewer, { name, password }));
      await signOut(ctx, req, res);
      res.redirect(303, `${deletionForm.action}?done`);
    },
  );

  return router;
}

function showGoodbye(res: Response): void {
  res.render("settings/deleted", { title: res.locals.words.t("leaving.goodbye") });
}
