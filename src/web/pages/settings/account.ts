import { type Response, Router } from "express";
import type { Ctx } from "../../../context.ts";
import { changePassword } from "../../../domain/accounts/change-password.ts";
import { deleteAccount } from "../../../domain/accounts/erase.ts";
import { hasMail } from "../../../domain/accounts/mails.ts";
import { readForm, showForm } from "../../forms/form.ts";
import { deletionForm, passwordForm } from "../../forms/accounts.ts";
import { addressForm } from "../../forms/rescue.ts";
import { limitPasswordGuesses } from "../../middleware/guesses.ts";
import { requireReader } from "../../middleware/language.ts";
import { formPage } from "../../middleware/refusals.ts";
import { requireViewer, signIn, signOut, viewerOf } from "../../middleware/session.ts";
import { settingsFrame } from "../../present/settings.ts";

/** What needs the password of the account: a change of it, and the end of the account. */
export function accountSettings(ctx: Ctx): Router {
  const router = Router();
  const attempt = limitPasswordGuesses(ctx);

  formPage(
    router,
    passwordForm.action,
    (req, res, problems) => {
      const { words } = requireReader(res);
      res.render("settings/account", {
        ...settingsFrame(words, passwordForm.action, "settings.account"),
        form: showForm(words, passwordForm, {}, problems),
        mailUrl: hasMail(ctx) ? addressForm.action : undefined,
        saved: "saved" in req.query ? words.t("settings.passwordChanged") : undefined,
      });
    },
    async (req, res) => {
      const viewer = requireViewer(res);
      const { current_password: current, new_password: next } = readForm(passwordForm, req.body);
      const admission = await attempt(viewer.id, () =>
        changePassword(ctx, viewer, { current, next }),
      );
      await signIn(ctx, req, admission);
      res.redirect(303, "/settings/account?saved");
    },
  );

  formPage(
    router,
    deletionForm.action,
    (req, res, problems) => {
      if ("done" in req.query && viewerOf(res) === undefined) return showGoodbye(res);
      const { viewer, words } = requireReader(res);
      const link = { href: "/settings/data", text: words.t("leaving.takeAlongLink") };
      res.render("settings/delete", {
        ...settingsFrame(words, "/settings/account", "leaving.title"),
        name: viewer.name,
        takeAlong: words.pieces("leaving.takeAlong", { link }),
        form: showForm(words, deletionForm, req.body, problems),
      });
    },
    async (req, res) => {
      const viewer = requireViewer(res);
      const confirmation = readForm(deletionForm, req.body);
      await attempt(viewer.id, () => deleteAccount(ctx, viewer, confirmation));
      await signOut(ctx, req, res);
      res.redirect(303, `${deletionForm.action}?done`);
    },
  );

  return router;
}

function showGoodbye(res: Response): void {
  res.render("settings/deleted", { title: res.locals.words.t("leaving.goodbye") });
}
