import { type Response, Router } from "express";
import type { Ctx } from "../../../context.ts";
import { changePassword } from "../../../domain/accounts/change-password.ts";
import { deleteAccount } from "../../../domain/accounts/erase.ts";
import { hasMail } from "../../../domain/accounts/mail.ts";
import { endApp } from "../../../domain/apps/tokens.ts";
import { NotFound } from "../../../domain/errors.ts";
import { followedTags } from "../../../domain/graph/follows.ts";
import { parseClientId } from "../../../domain/ids.ts";
import { closeAllSessions, closeSessions } from "../../../domain/users/sessions.ts";
import { foldName } from "../../../domain/users/store.ts";
import type { Languages } from "../../languages/translator.ts";
import { readForm, showForm } from "../../layout/form.ts";
import { passwordOrAnotherWay, passwordOrConfirmed } from "../../request/confirmation.ts";
import { knownBrowsers, limitPasswordGuesses } from "../../request/failed-log-ins.ts";
import { requireReader } from "../../request/language.ts";
import { formPage } from "../../request/refusals.ts";
import { requireViewer, signIn, signOut, viewerOf } from "../../request/session.ts";
import { presentApps } from "../apps/view.ts";
import { dataSettings } from "../data/routes.ts";
import { mutedSettings } from "../filters/routes.ts";
import { invitationSettings } from "../invitations/routes.ts";
import { pushSettings } from "../push/routes.ts";
import { followedTagsPath, presentFollowedTags } from "../search/view.ts";
import { addressForm } from "../sign-in/rescue-form.ts";
import { deletionForm, endAppForm, endSessionForm, passwordForm } from "./form.ts";
import { mailSettings } from "./mail-routes.ts";
import { languageSettings, profileSettings } from "./profile-routes.ts";
import { securitySettings } from "./security-routes.ts";
import { recoverySettings, totpSettings } from "./totp-routes.ts";
import { findSessionByHandle, presentSessions, presentSettings, settingsFrame } from "./view.ts";

/** Settings of the viewer; here those of sessions and apps. */
export function settingsPages(
  ctx: Ctx,
  { languages, secret }: { languages: Languages; secret: string },
): Router {
  const router = Router();
  router.use(profileSettings(ctx));
  router.use(accountSettings(ctx, secret));
  router.use(securitySettings(ctx, secret));
  router.use(totpSettings(ctx, secret));
  router.use(dataSettings(ctx, secret));
  router.use(invitationSettings(ctx));
  router.use(languageSettings(ctx, languages));
  router.use(mutedSettings(ctx));
  router.get(followedTagsPath, async (_req, res) => {
    const reader = requireReader(res);
    const tags = await followedTags(ctx, reader.viewer.id);
    res.render("settings/tags", presentFollowedTags(reader, tags));
  });
  router.use(pushSettings(ctx));
  router.use(recoverySettings(ctx));
  router.use(mailSettings(ctx, secret));

  router.get("/settings", (_req, res) => {
    res.render("settings/index", presentSettings(requireReader(res).words));
  });

  router.get(endSessionForm.action, async (req, res) => {
    const reader = requireReader(res);
    res.render("settings/sessions", {
      ...settingsFrame(reader.words, endSessionForm.action, "settings.devices"),
      ...(await presentSessions(ctx, reader, req.sessionID)),
    });
  });
  router.post(endSessionForm.action, async (req, res) => {
    const viewer = requireViewer(res);
    const { session: handle } = readForm(endSessionForm, req.body);
    if (handle === undefined) await closeAllSessions(ctx, viewer.id, req.sessionID);
    else await closeSessions(ctx, viewer.id, await findSessionByHandle(ctx, viewer, handle));
    res.redirect(303, endSessionForm.action);
  });

  router.get(endAppForm.action, async (_req, res) => {
    const reader = requireReader(res);
    const { words } = reader;
    const apps = await presentApps(ctx, reader);
    res.render("settings/apps", {
      ...settingsFrame(words, endAppForm.action, "apps.title"),
      apps,
      emptyMessage: apps.length === 0 ? words.t("apps.none") : undefined,
    });
  });
  router.post(endAppForm.action, async (req, res) => {
    const { id } = requireViewer(res);
    const app = parseClientId(readForm(endAppForm, req.body).app);
    if (app === undefined) throw new NotFound("app");
    await endApp(ctx, id, app);
    res.redirect(303, endAppForm.action);
  });

  return router;
}

/** What needs the password of the account: a change of it, and the end of the account. */
function accountSettings(ctx: Ctx, secret: string): Router {
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
      const verified = await attempt(viewer.id, () =>
        changePassword(ctx, viewer, { current, next }),
      );
      await signIn(ctx, req, verified);
      const { generation } = verified;
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
