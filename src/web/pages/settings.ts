import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../context.ts";
import type { Problems } from "../../domain/errors.ts";
import { changePassword, editProfile } from "../../domain/users/settings.ts";
import { closeOtherSessions, closeSessions } from "../../domain/users/sessions.ts";
import { readForm, showForm } from "../forms/form.ts";
import { endSessionForm, passwordForm, profileForm } from "../forms/settings.ts";
import { onRefusal } from "../middleware/errors.ts";
import { limitPasswordGuesses } from "../middleware/rate-limit.ts";
import { requireViewer } from "../middleware/session.ts";
import { findSessionByHandle, presentSessions } from "../present/sessions.ts";

const sections = [
  { href: "/settings/profile", label: "Profile" },
  { href: "/settings/account", label: "Password" },
  { href: "/settings/sessions", label: "Devices" },
  { href: "/settings/data", label: "Data" },
];

export function settingsPages(ctx: Ctx): Router {
  const router = Router();
  const guesses = limitPasswordGuesses(ctx);

  router.get("/settings", (_req, res) => {
    res.redirect(303, "/settings/profile");
  });

  router.get("/settings/profile", (req, res) => {
    const { fullname, bio } = requireViewer(res);
    showProfileForm(req, res, { fullname, bio });
  });
  router.post(
    "/settings/profile",
    onRefusal(async (req, res, problems) => showProfileForm(req, res, req.body, problems)),
    async (req, res) => {
      await editProfile(ctx, requireViewer(res), readForm(profileForm, req.body));
      res.redirect(303, "/settings/profile?saved");
    },
  );

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
      ...frame("/settings/sessions", "Devices"),
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

  return router;
}

function showProfileForm(req: Request, res: Response, values: unknown, problems: Problems = {}) {
  requireViewer(res);
  res.render("settings/profile", {
    ...frame("/settings/profile", "Profile"),
    form: showForm(profileForm, values, problems),
    saved: "saved" in req.query ? "Your profile is saved." : undefined,
  });
}

function showPasswordForm(req: Request, res: Response, problems: Problems = {}) {
  res.render("settings/account", {
    ...frame("/settings/account", "Password"),
    form: showForm(passwordForm, {}, problems),
    saved: "saved" in req.query ? "Your password is changed." : undefined,
  });
}

/** What all pages of settings have around them. */
export function frame(path: string, title: string) {
  return {
    page: { title: `${title} · Settings · Suzume`, path },
    sections: sections.map((section) => ({ ...section, current: section.href === path })),
  };
}
