import type { Router } from "express";
import type { Ctx } from "../../../context.ts";
import { changePassword } from "../../../domain/accounts/change-password.ts";
import { deleteAccount } from "../../../domain/accounts/erase.ts";
import { endAppAccess, endDevice, endOtherDevices } from "../../../domain/accounts/keep-back.ts";
import { hasMail } from "../../../domain/accounts/mail.ts";
import { required } from "../../../domain/errors.ts";
import { bestEffort } from "../../../domain/outage.ts";
import { followedTags } from "../../../domain/graph/follows.ts";
import { parseClientId } from "../../../domain/ids.ts";
import { findFailedLogIns } from "../../../domain/users/log-in.ts";
import { endOwnRight } from "../../../domain/users/roles.ts";
import { listDevices } from "../../../domain/users/sessions.ts";
import { handleOf } from "../../../domain/secrets.ts";
import { foldName } from "../../../domain/users/store.ts";
import type { Languages } from "../../languages/translator.ts";
import { readForm, showForm } from "../../layout/form.ts";
import { presentMoment } from "../../layout/time.ts";
import { passwordOrAnotherWay, passwordOrConfirmed } from "../../request/confirmation.ts";
import { knownBrowsers, limitPasswordGuesses } from "../../request/failed-log-ins.ts";
import { requireReader, requireViewer, viewerOf } from "../../request/reader.ts";
import { formPage } from "../../request/refusals.ts";
import { signIn, signOut } from "../../request/session.ts";
import { presentApps } from "../apps/view.ts";
import { dataSettings } from "../data/routes.ts";
import { mutedSettings } from "../filters/routes.ts";
import { invitationSettings } from "../invitations/routes.ts";
import { pushSettings } from "../push/routes.ts";
import { presentFollowTag } from "../search/view.ts";
import { addressForm } from "../sign-in/form.ts";
import { privacySettings } from "./privacy-routes.ts";
import { deletionForm, endAppForm, endSessionForm, passwordForm } from "./form.ts";
import { mailSettings } from "./mail-routes.ts";
import { languageSettings, profileSettings } from "./profile-routes.ts";
import { securitySettings } from "./security-routes.ts";
import { recoverySettings, totpSettings } from "./totp-routes.ts";
import { deviceName, settingsFrame } from "./view.ts";

/** Settings of the viewer; here those of sessions and apps. */
export function settingsPages(
  router: Router,
  ctx: Ctx,
  { languages, secret }: { languages: Languages; secret: string },
): void {
  profileSettings(router, ctx);
  accountSettings(router, ctx, secret);
  privacySettings(router, ctx, secret);
  securitySettings(router, ctx, secret);
  totpSettings(router, ctx, secret);
  dataSettings(router, ctx, secret);
  invitationSettings(router, ctx);
  languageSettings(router, ctx, languages);
  mutedSettings(router, ctx);
  router.get("/settings/tags", async (_req, res) => {
    const { viewer, words } = requireReader(res);
    const tags = await followedTags(ctx, viewer.id);
    res.render("settings/tags", {
      ...settingsFrame(words, "/settings/tags", "tag.followed"),
      tags: tags.map((tag) => ({ tag, unfollow: presentFollowTag(words, tag, true) })),
    });
  });
  pushSettings(router, ctx);
  recoverySettings(router, ctx);
  mailSettings(router, ctx, secret);

  router.get("/settings", (_req, res) => {
    res.render("settings/index", { title: requireReader(res).words.t("nav.settings") });
  });

  router.get(endSessionForm.action, async (req, res) => {
    const { viewer, words } = requireReader(res);
    const [devices, failed] = await Promise.all([
      listDevices(ctx, viewer),
      findFailedLogIns(ctx, viewer.id),
    ]);
    const since = failed && { time: presentMoment(words, failed.since) };
    res.render("settings/sessions", {
      ...settingsFrame(words, endSessionForm.action, "settings.devices"),
      sessions: devices.map(({ session, openedAt, device }) => ({
        device: deviceName(words, device),
        since: words.pieces("settings.since", { time: presentMoment(words, openedAt) }),
        current: session === req.sessionID,
        handle: handleOf(session),
      })),
      guesses:
        failed && words.pieces("settings.guesses", { ...words.counted(failed.count), ...since }),
    });
  });
  router.post(endSessionForm.action, async (req, res) => {
    const viewer = requireViewer(res);
    const { session: handle } = readForm(endSessionForm, req.body);
    if (handle === undefined) await endOtherDevices(ctx, viewer.id, req.sessionID);
    else {
      if (handle === handleOf(req.sessionID)) endOwnRight();
      await endDevice(ctx, viewer, handle);
    }
    res.redirect(303, endSessionForm.action);
  });

  router.get(endAppForm.action, async (_req, res) => {
    const reader = requireReader(res);
    res.render("settings/apps", {
      ...settingsFrame(reader.words, endAppForm.action, "apps.title"),
      apps: await presentApps(ctx, reader),
    });
  });
  router.post(endAppForm.action, async (req, res) => {
    const { id } = requireViewer(res);
    const app = required(parseClientId(readForm(endAppForm, req.body).app), "app");
    await endAppAccess(ctx, id, app);
    res.redirect(303, endAppForm.action);
  });
}

/** What needs the password of the account: a change of it, and the end of the account. */
function accountSettings(router: Router, ctx: Ctx, secret: string): void {
  const browsers = knownBrowsers(secret);
  const attempt = limitPasswordGuesses(ctx);

  formPage(router, passwordForm.action, {
    async show(req, res, problems) {
      const { viewer, words } = requireReader(res);
      res.render("settings/account", {
        ...settingsFrame(words, passwordForm.action, "settings.account"),
        form: showForm(words, passwordForm, {}, problems),
        ...(await passwordOrAnotherWay(ctx, req, viewer, passwordForm.action)),
        mailUrl: hasMail(ctx) ? addressForm.action : undefined,
        saved: "saved" in req.query ? words.t("settings.passwordChanged") : undefined,
      });
    },
    async submit(req, res) {
      const viewer = requireViewer(res);
      const { current_password: typed, new_password: next } = readForm(passwordForm, req.body);
      const current = passwordOrConfirmed(ctx, req, { field: "current_password", typed });
      const verified = await attempt(viewer.id, () =>
        changePassword(ctx, viewer, { current, next }),
      );
      // The change is done, whether or not Redis has room for a session.
      await bestEffort(signIn(ctx, req, verified));
      // The new password has ended the mark of this browser, too.
      browsers.remember(req, res, { name: foldName(viewer.name), generation: verified.generation });
      res.redirect(303, "/settings/account?saved");
    },
  });

  formPage(router, deletionForm.action, {
    async show(req, res, problems) {
      if ("done" in req.query && viewerOf(res) === undefined)
        return res.render("settings/deleted", { title: res.locals.words.t("leaving.goodbye") });
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
    async submit(req, res) {
      const viewer = requireViewer(res);
      const { name, password: typed } = readForm(deletionForm, req.body);
      const password = passwordOrConfirmed(ctx, req, { field: "password", typed });
      await attempt(viewer.id, () => deleteAccount(ctx, viewer, { name, password }));
      await signOut(ctx, req, res);
      res.redirect(303, `${deletionForm.action}?done`);
    },
  });
}
