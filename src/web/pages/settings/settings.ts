import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../../context.ts";
import { changePassword } from "../../../domain/accounts/change-password.ts";
import { hasMail } from "../../../domain/accounts/mails.ts";
import { endApp } from "../../../domain/apps/tokens.ts";
import { Invalid, NotFound, type Problems } from "../../../domain/errors.ts";
import { parseClientId } from "../../../domain/ids.ts";
import { changeAvatar, removeAvatar } from "../../../domain/users/avatars.ts";
import { findGuesses } from "../../../domain/users/guesses.ts";
import { editProfile } from "../../../domain/users/settings.ts";
import { closeOtherSessions, closeSessions } from "../../../domain/users/sessions.ts";
import { readForm, showForm } from "../../forms/form.ts";
import type { Key, Translator } from "../../languages/translator.ts";
import {
  avatarForm,
  endAppForm,
  endSessionForm,
  passwordForm,
  profileForm,
} from "../../forms/settings.ts";
import { passwordOrAnotherWay, passwordOrConfirmed } from "../../middleware/confirmation.ts";
import { onRefusal } from "../../middleware/errors.ts";
import { requireReader } from "../../middleware/language.ts";
import { limitPasswordGuesses } from "../../middleware/guesses.ts";
import { limitAct } from "../../middleware/limits.ts";
import { requireViewer, signIn } from "../../middleware/session.ts";
import { upload } from "../../middleware/upload.ts";
import { presentApps } from "../../present/apps.ts";
import { findSessionByHandle, presentGuesses, presentSessions } from "../../present/sessions.ts";

const sections = [
  ["/settings/profile", "settings.profile"],
  ["/settings/account", "settings.account"],
  ["/settings/security", "security.title"],
  ["/settings/sessions", "settings.devices"],
  ["/settings/apps", "apps.title"],
  ["/settings/language", "settings.language"],
  ["/settings/muted", "muted.title"],
  ["/settings/blocked", "muted.blocked"],
  ["/settings/data", "data.title"],
] as const satisfies (readonly [href: string, label: Key])[];

export function settingsPages(ctx: Ctx): Router {
  const router = Router();
  const guesses = limitPasswordGuesses(ctx);

  router.get("/settings", (_req, res) => {
    res.redirect(303, "/settings/profile");
  });

  router.get("/settings/profile", (req, res) => {
    showProfileForm(req, res, requireViewer(res));
  });
  router.post(
    "/settings/profile",
    onRefusal(async (req, res, problems) => showProfileForm(req, res, req.body, problems)),
    limitAct(ctx, "profile"),
    async (req, res) => {
      await editProfile(ctx, requireViewer(res), readForm(profileForm, req.body));
      res.redirect(303, "/settings/profile?saved");
    },
  );

  router.post(
    "/settings/avatar",
    onRefusal(async (req, res, problems) =>
      showProfileForm(req, res, requireViewer(res), problems),
    ),
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

  router.get("/settings/account", async (req, res) => showPasswordForm(ctx, req, res));
  router.post(
    "/settings/account",
    onRefusal((req, res, problems) => showPasswordForm(ctx, req, res, problems)),
    async (req, res) => {
      const viewer = requireViewer(res);
      const input = readForm(passwordForm, req.body);
      const typed = input.current_password;
      const current = passwordOrConfirmed(ctx, req, { field: "current_password", typed });
      const admission = await guesses.attempt(viewer.id, () =>
        changePassword(ctx, viewer, {
          current,
          next: input.new_password,
        }),
      );
      await signIn(ctx, req, admission);
      res.redirect(303, "/settings/account?saved");
    },
  );

  router.get("/settings/sessions", async (req, res) => {
    const { viewer, words } = requireReader(res);
    res.render("settings/sessions", {
      ...settingsFrame(words, "/settings/sessions", "settings.devices"),
      ...(await presentSessions(ctx, words, viewer, req.sessionID)),
      guesses: presentGuesses(words, await findGuesses(ctx, viewer.id), ctx.now()),
    });
  });
  router.post("/settings/sessions", async (req, res) => {
    const viewer = requireViewer(res);
    const { session: handle } = readForm(endSessionForm, req.body);
    if (handle === undefined) await closeOtherSessions(ctx, viewer.id, req.sessionID);
    else await closeSessions(ctx, viewer.id, await findSessionByHandle(ctx, viewer, handle));
    res.redirect(303, "/settings/sessions");
  });

  router.get("/settings/apps", async (_req, res) => {
    const { viewer, words } = requireReader(res);
    const { apps } = await presentApps(ctx, words, viewer);
    res.render("settings/apps", {
      ...settingsFrame(words, "/settings/apps", "apps.title"),
      apps,
      emptyMessage: apps.length === 0 ? words.t("apps.none") : undefined,
    });
  });
  router.post("/settings/apps", async (req, res) => {
    const { id } = requireViewer(res);
    const app = parseClientId(readForm(endAppForm, req.body).app);
    if (app === undefined) throw new NotFound("app");
    await endApp(ctx, id, app);
    res.redirect(303, "/settings/apps");
  });

  return router;
}

function showProfileForm(req: Request, res: Response, values: unknown, problems: Problems = {}) {
  const { viewer, words } = requireReader(res);
  res.render("settings/profile", {
    ...settingsFrame(words, "/settings/profile", "settings.profile"),
    form: showForm(words, profileForm, values, problems),
    avatarForm: showForm(words, avatarForm, {}, problems),
    removeUrl: viewer.avatar === "" ? undefined : "/settings/avatar/remove",
    saved: "saved" in req.query ? words.t("settings.profileSaved") : undefined,
  });
}

async function showPasswordForm(
  ctx: Ctx,
  req: Request,
  res: Response,
  problems: Problems = {},
): Promise<void> {
  const { viewer, words } = requireReader(res);
  res.render("settings/account", {
    ...settingsFrame(words, "/settings/account", "settings.account"),
    form: showForm(words, passwordForm, {}, problems),
    ...(await passwordOrAnotherWay(ctx, req, viewer, passwordForm.action)),
    mailUrl: hasMail(ctx) ? "/settings/account/mail" : undefined,
    saved: "saved" in req.query ? words.t("settings.passwordChanged") : undefined,
  });
}

/** Values that every settings page needs. */
export function settingsFrame(words: Translator, path: string, title: Key) {
  return {
    page: { title: `${words.t(title)} · ${words.t("nav.settings")} · Suzume`, path },
    sections: sections.map(([href, label]) => ({
      href,
      label: words.t(label),
      current: href === path,
    })),
  };
}
