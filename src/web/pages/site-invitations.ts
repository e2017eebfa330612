import { Router } from "express";
import type { Ctx } from "../../context.ts";
import { endInvitation, invitersPage } from "../../domain/community/all-invitations.ts";
import { endInvitationForm } from "../forms/joining.ts";
import { readForm } from "../forms/form.ts";
import { leadBack } from "../middleware/desk.ts";
import { requireReader } from "../middleware/language.ts";
import { requireViewer } from "../middleware/session.ts";
import { presentAllInvitations } from "../present/all-invitations.ts";

/** The invitations of all users, and who came by which; guardDesk refuses other users. */
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
