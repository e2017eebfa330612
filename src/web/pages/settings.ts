import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../context.ts";
import { changePassword } from "../../domain/accounts/change-password.ts";
import { endApp } from "../../domain/apps/tokens.ts";
import { Invalid, NotFound, type Problems } from "../../domain/errors.ts";
import { parseClientId } from "../../domain/ids.ts";
import { changeAvatar, removeAvatar } from "../../domain/users/avatars.ts";
import { editProfile } from "../../domain/users/settings.ts";
import { closeOtherSessions, closeSessions } from "../../domain/users/sessions.ts";
import { readForm, showForm } from "../forms/form.ts";
import {
  avatarForm,
  endAppForm,
  endSessionForm,
  passwordForm,
  profileForm,
} from "../forms/settings.ts";
import { onRefusal } from "../middleware/errors.ts";
import { limitPasswordGuesses } from "../middleware/rate-limit.ts";
import { requireViewer } from "../middleware/session.ts";
import { upload } from "../middleware/upload.ts";
import { presentApps } from "../present/apps.ts";
import { findSessionByHandle, presentSessions } from "../present/sessions.ts";

const sections = [
  { href: "/settings/profile", label: "Profile" },
  { href: "/settings/account", label: "Account" },
  { href: "/settings/sessions", label: "Devices" },
  { href: "/settings/apps", label: "Apps" },
  { href: "/settings/muted", label: "Muted" },
  { href: "/settings/blocked", label: "Blocked" },
  { href: "/settings/data", label: "Data" },
];

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

  router.get("/settings/account", (req, res) => {
    requireViewer(res);
    showPasswordForm(req, res);
  });
  router.post(
    "/settings/account",
    onRefusal(async (req, res, problems) => showPasswordForm(req, res, problems)),
    async (req, res) => {
      const viewer = requireViewer(res);
      const input = readForm(passwordForm, req.body);
      await guesses.attempt(viewer.id, () =>
        changePassword(ctx, viewer, {
          current: input.current_password,
          next: input.new_password,
          session: req.sessionID,
        }),
      );
      res.redirect(303, "/settings/account?saved");
    },
  );

  router.get("/settings/sessions", async (req, res) => {
    const { id } = requireViewer(res);
    res.render("settings/sessions", {
      ...settingsFrame("/settings/sessions", "Devices"),
      ...(await presentSessions(ctx, id, req.sessionID)),
    });
  });
  router.post("/settings/sessions", async (req, res) => {
    const { id } = requireViewer(res);
    const { session: handle } = readForm(endSessionForm, req.body);
    if (handle === undefined) await closeOtherSessions(ctx, id, req.sessionID);
    else await closeSessions(ctx, id, await findSessionByHandle(ctx, id, handle));
    res.redirect(303, "/settings/sessions");
  });

  router.get("/settings/apps", async (_req, res) => {
    const { apps } = await presentApps(ctx, requireViewer(res).id);
    res.render("settings/apps", {
      ...settingsFrame("/settings/apps", "Apps"),
      apps,
      emptyMessage: apps.length === 0 ? "You have not let any app in." : undefined,
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
  const { avatar } = requireViewer(res);
  res.render("settings/profile", {
    ...settingsFrame("/settings/profile", "Profile"),
    form: showForm(profileForm, values, problems),
    avatarForm: showForm(avatarForm, {}, problems),
    removeUrl: avatar === "" ? undefined : "/settings/avatar/remove",
    saved: "saved" in req.query ? "Your profile is saved." : undefined,
  });
}

function showPasswordForm(req: Request, res: Response, problems: Problems = {}) {
  res.render("settings/account", {
    ...settingsFrame("/settings/account", "Account"),
    form: showForm(passwordForm, {}, problems),
    saved: "saved" in req.query ? "Your password is changed." : undefined,
  });
}

/** What every page of the settings has around it. */
export function settingsFrame(path: string, title: string) {
  return {
    page: { title: `${title} · Settings · Suzume`, path },
    sections: sections.map((section) => ({ ...section, current: section.href === path })),
  };
}
