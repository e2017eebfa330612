import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../../context.ts";
import { endInvitation, invitersPage } from "../../../domain/community/all-invitations.ts";
import {
  listInvitations,
  makeInvitation,
  mayInvite,
  revokeInvitation,
} from "../../../domain/community/invitations.ts";
import { Forbidden } from "../../../domain/errors.ts";
import type { Problems } from "../../../domain/problems.ts";
import { isAdmin } from "../../../domain/users/roles.ts";
import { readForm } from "../../layout/form.ts";
import { leadBack } from "../../request/admin-area.ts";
import { requireReader } from "../../request/language.ts";
import { limitVerb } from "../../request/limits.ts";
import { onRefusal } from "../../request/refusals.ts";
import { requireViewer } from "../../request/session.ts";
import { siteUrl } from "../../server/send-public.ts";
import { settingsFrame } from "../settings/view.ts";
import { endInvitationForm, inviteForm, revokeForm } from "./form.ts";
import { presentAllInvitations, presentInvitations, presentInviteForm } from "./view.ts";

const path = inviteForm.action;

/** Links that let others sign up: the viewer's own, and for admins the way to end those of others. */
export function invitationSettings(ctx: Ctx): Router {
  const router = Router();
  router.get(path, (req, res) => showInvitations(ctx, req, res, {}));
  router.post(
    path,
    onRefusal((req, res, problems) => showInvitations(ctx, req, res, problems)),
    limitVerb(ctx, "invite"),
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

/** The invitations of all users, and who came by which; guardAdminArea refuses other users. */
export function siteInvitationPages(ctx: Ctx): Router {
  const router = Router();
  router.get(endInvitationForm.action, async (_req, res) => {
    const reader = requireReader(res);
    const page = await invitersPage(ctx, reader.before);
    res.render("admin/invitations", await presentAllInvitations(ctx, reader, page));
  });
  router.post(endInvitationForm.action, async (req, res) => {
    const { invitation, inviter, ...rest } = readForm(endInvitationForm, req.body);
    const decision = { by: requireViewer(res).id, ...rest };
    await endInvitation(ctx, decision, { by: inviter, digest: invitation });
    leadBack(res, endInvitationForm.action, "end");
  });
  return router;
}
