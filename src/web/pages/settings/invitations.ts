import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../../context.ts";
import {
  listInvitations,
  makeInvitation,
  mayInvite,
  revokeInvitation,
} from "../../../domain/community/invitations.ts";
import { Forbidden } from "../../../domain/errors.ts";
import type { Problems } from "../../../domain/problems.ts";
import { isAdmin } from "../../../domain/users/roles.ts";
import { readForm } from "../../forms/form.ts";
import { inviteForm, revokeForm } from "../../forms/joining.ts";
import { requireReader } from "../../middleware/language.ts";
import { limitAct } from "../../middleware/limits.ts";
import { onRefusal } from "../../middleware/refusals.ts";
import { requireViewer } from "../../middleware/session.ts";
import { presentInvitations, presentInviteForm } from "../../present/joining.ts";
import { settingsFrame } from "../../present/settings.ts";
import { siteUrl } from "../../send-public.ts";

const path = inviteForm.action;

/** Links that let others sign up: the viewer's own, and for admins the way to end those of others. */
export function invitationSettings(ctx: Ctx): Router {
  const router = Router();
  router.get(path, (req, res) => showInvitations(ctx, req, res, {}));
  router.post(
    path,
    onRefusal((req, res, problems) => showInvitations(ctx, req, res, problems)),
    limitAct(ctx, "invitations"),
    async (req, res) => {
      const viewer = requireViewer(res);
      if (!(await mayInvite(ctx, viewer))) throw new Forbidden("may not invite");
      const token = await makeInvitation(ctx, viewer.id, readForm(inviteForm, req.body));
      // Not redirected: only a digest is stored, so the link can be shown this once.
      req.body = undefined;
      const link = `${siteUrl(ctx, req)}/signup?invitation=${token}`;
      await showInvitations(ctx, req, res, {}, link);
    },
  );
  router.post(revokeForm.action, async (req, res) => {
    const viewer = requireViewer(res);
    const { invitation, inviter = viewer.id } = readForm(revokeForm, req.body);
    if (inviter !== viewer.id && !isAdmin(ctx, viewer)) throw new Forbidden("not theirs");
    await revokeInvitation(ctx, inviter, invitation);
    res.redirect(303, path);
  });
  return router;
}

async function showInvitations(
  ctx: Ctx,
  req: Request,
  res: Response,
  problems: Problems,
  link?: string,
): Promise<void> {
  const { viewer, words } = requireReader(res);
  const invitations = await listInvitations(ctx, viewer.id);
  res.render("settings/invitations", {
    ...settingsFrame(words, path, "joining.invitations"),
    mayInvite: await mayInvite(ctx, viewer),
    form: presentInviteForm(words, req.body, problems),
    link,
    invitations: await presentInvitations(ctx, words, invitations),
  });
}
