import { Router } from "express";
import type { Ctx } from "../../../context.ts";
import { endApp } from "../../../domain/apps/tokens.ts";
import { NotFound } from "../../../domain/errors.ts";
import { followedTags } from "../../../domain/graph/followed-tags.ts";
import { parseClientId } from "../../../domain/ids.ts";
import { closeAllSessions, closeSessions } from "../../../domain/users/sessions.ts";
import { readForm } from "../../forms/form.ts";
import { endAppForm, endSessionForm } from "../../forms/accounts.ts";
import type { Languages } from "../../languages/languages.ts";
import { requireReader } from "../../middleware/language.ts";
import { requireViewer } from "../../middleware/session.ts";
import { presentApps } from "../../present/apps.ts";
import { findSessionByHandle, presentSessions } from "../../present/sessions.ts";
import { followedTagsPath, presentFollowedTags } from "../../present/tags.ts";
import { presentSettings, settingsFrame } from "../../present/settings.ts";
import { accountSettings } from "./account.ts";
import { dataSettings } from "./data.ts";
import { invitationSettings } from "./invitations.ts";
import { languageSettings } from "./language.ts";
import { mailSettings } from "./mail-address.ts";
import { mutedSettings } from "./muted.ts";
import { profileSettings } from "./profile.ts";
import { pushSettings } from "./push.ts";
import { recoverySettings } from "./recovery.ts";
import { securitySettings } from "./security.ts";
import { totpSettings } from "./totp.ts";

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
