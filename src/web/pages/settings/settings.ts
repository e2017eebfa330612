import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../../context.ts";
import { endApp } from "../../../domain/apps/tokens.ts";
import { Invalid, NotFound, type Problems } from "../../../domain/errors.ts";
import { parseClientId } from "../../../domain/ids.ts";
import { changeAvatar, removeAvatar } from "../../../domain/users/avatars.ts";
import { editProfile } from "../../../domain/users/settings.ts";
import { closeAllSessions, closeSessions } from "../../../domain/users/sessions.ts";
import { readForm, showForm } from "../../forms/form.ts";
import { avatarForm, endAppForm, endSessionForm, profileForm } from "../../forms/accounts.ts";
import type { Languages } from "../../languages/languages.ts";
import { upload } from "../../middleware/bodies.ts";
import { requireReader } from "../../middleware/language.ts";
import { limitAct } from "../../middleware/limits.ts";
import { formPage, onRefusal } from "../../middleware/refusals.ts";
import { requireViewer } from "../../middleware/session.ts";
import { presentApps } from "../../present/apps.ts";
import { findSessionByHandle, presentSessions } from "../../present/sessions.ts";
import { settingsFrame } from "../../present/settings.ts";
import { accountSettings } from "./account.ts";
import { dataSettings } from "./data.ts";
import { invitationSettings } from "./invitations.ts";
import { languageSettings } from "./language.ts";
import { mailSettings } from "./mail-address.ts";
import { mutedSettings } from "./muted.ts";
import { recoverySettings } from "./recovery.ts";
import { securitySettings } from "./security.ts";
import { totpSettings } from "./totp.ts";

/** Settings of the viewer; here those of profile, sessions and apps. */
export function settingsPages(
  ctx: Ctx,
  { languages, secret }: { languages: Languages; secret: string },
): Router {
  const router = Router();
  router.use(accountSettings(ctx));
  router.use(securitySettings(ctx, secret));
  router.use(totpSettings(ctx, secret));
  router.use(dataSettings(ctx, secret));
  router.use(invitationSettings(ctx));
  router.use(languageSettings(ctx, languages));
  router.use(mutedSettings(ctx));
  router.use(recoverySettings(ctx));
  router.use(mailSettings(ctx, secret));

  router.get("/settings", (_req, res) => {
    res.redirect(303, "/settings/profile");
  });

  formPage(
    router,
    profileForm.action,
    (req, res, problems) => showProfile(req, res, req.body ?? requireViewer(res), problems),
    limitAct(ctx, "profile"),
    async (req, res) => {
      await editProfile(ctx, requireViewer(res), readForm(profileForm, req.body));
      res.redirect(303, "/settings/profile?saved");
    },
  );

  router.post(
    avatarForm.action,
    onRefusal((req, res, problems) => showProfile(req, res, requireViewer(res), problems)),
    limitAct(ctx, "uploads"),
    upload("avatar"),
    async (req, res) => {
      if (req.file === undefined) throw new Invalid({ avatar: "avatar.missing" });
      await changeAvatar(ctx, requireViewer(res).id, req.file.buffer);
      res.redirect(303, "/settings/profile?saved");
    },
  );
  router.post("/settings/avatar/remove", async (_req, res) => {
    await removeAvatar(ctx, requireViewer(res).id);
    res.redirect(303, "/settings/profile?saved");
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

function showProfile(req: Request, res: Response, values: unknown, problems: Problems): void {
  const { viewer, words } = requireReader(res);
  res.render("settings/profile", {
    ...settingsFrame(words, profileForm.action, "settings.profile"),
    form: showForm(words, profileForm, values, problems),
    avatarForm: showForm(words, avatarForm, {}, problems),
    removeUrl: viewer.avatar === "" ? undefined : "/settings/avatar/remove",
    saved: "saved" in req.query ? words.t("settings.profileSaved") : undefined,
  });
}
