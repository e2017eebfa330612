import type { Request, Response, Router } from "express";
import { z } from "zod";
import type { Ctx } from "../../../context.ts";
import {
  endInvitation,
  invitersPage,
  type Invitation,
  isOpen,
  listInvitations,
  makeInvitation,
  mayInvite,
  revokeInvitation,
} from "../../../domain/community/invitations.ts";
import { Forbidden, type Problems } from "../../../domain/errors.ts";
import { parseUserId } from "../../../domain/ids.ts";
import { findUsers } from "../../../domain/users/store.ts";
import type { Translator } from "../../languages/translator.ts";
import { anyText, type Form, formOf, nonce, readForm, showForm } from "../../layout/form.ts";
import { presentPaging } from "../../layout/paging.ts";
import { presentName } from "../../layout/people.ts";
import { presentMoment } from "../../layout/time.ts";
import { leadBack, mayDo } from "../../request/admin-area.ts";
import { requireReader, requireViewer } from "../../request/reader.ts";
import { limitVerb } from "../../request/limits.ts";
import { formPage } from "../../request/refusals.ts";
import { siteUrl } from "../../server/send-public.ts";
import { idField, titleOf } from "../moderation/view.ts";
import { settingsFrame } from "../settings/view.ts";
import {
  acceptApplicant,
  applicationsPage,
  refuseApplicant,
} from "../../../domain/community/join.ts";
import { pageSize } from "../../../domain/page.ts";

const path = "/settings/invitations";
const count = z
  .string()
  .regex(/^\d{1,4}$/)
  .transform(Number)
  .catch(0);

/** Makes an invitation. */
const inviteForm = formOf(path, {
  fields: { uses: count, days: count, note: anyText },
  hidden: { nonce },
});

const invitation = z.string().regex(/^[\w-]{43}$/);
const inviter = z
  .string()
  .optional()
  .transform((raw) => parseUserId(raw ?? ""));

/** Ends an invitation of the viewer. */
const revokeForm = formOf("/settings/invitations/revoke", { hidden: { invitation } });

/** Ends an invitation of any user; without an `inviter` it was made in the shell. */
const endInvitationForm = formOf("/admin/invitations", {
  fields: { note: anyText },
  hidden: { invitation, inviter, nonce },
});

/** Links of the viewer that let others sign up. */
export function invitationSettings(router: Router, ctx: Ctx): void {
  const show = async (req: Request, res: Response, problems: Problems, link?: string) => {
    const { viewer, words } = requireReader(res);
    const typed: unknown = req.body ?? { uses: "1", days: "7" };
    res.render("settings/invitations", {
      ...settingsFrame(words, path, "joining.invitations"),
      mayInvite: await mayInvite(ctx, viewer),
      form: showForm(words, inviteForm, typed, problems),
      link,
      invitations: await presentInvitations(ctx, words, await listInvitations(ctx, viewer.id)),
    });
  };
  formPage(router, path, {
    show,
    checks: [limitVerb(ctx, "invite")],
    async submit(req, res) {
      const viewer = requireViewer(res);
      if (!(await mayInvite(ctx, viewer))) throw new Forbidden("may not invite");
      const token = await makeInvitation(ctx, viewer.id, readForm(inviteForm, req.body));
      // Not redirected: only a digest is stored, so the link can be shown this once.
      req.body = undefined;
      await show(req, res, {}, `${siteUrl(ctx, req)}/signup?invitation=${token}`);
    },
  });
  router.post(revokeForm.action, async (req, res) => {
    const { invitation: digest } = readForm(revokeForm, req.body);
    await revokeInvitation(ctx, requireViewer(res).id, digest);
    res.redirect(303, path);
  });
}

/** The invitations of all users, and who came by which; guardAdminArea refuses other users. */
export function siteInvitationPages(router: Router, ctx: Ctx): void {
  const { action } = endInvitationForm;
  router.get(action, async (_req, res) => {
    const reader = requireReader(res);
    const { words, before } = reader;
    const page = await invitersPage(ctx, before);
    const inviters = page.items.map(async ({ user, invitations }) => ({
      name: user?.name,
      id: `by-${user?.id ?? "shell"}`,
      invitations: await presentInvitations(ctx, words, invitations, endInvitationForm),
    }));
    res.render("admin/invitations", {
      title: titleOf(words, "joining.all"),
      inviters: await Promise.all(inviters),
      ...presentPaging(reader, action, page, "joining.noneAtAll"),
    });
  });
  router.post(action, async (req, res) => {
    const { invitation: digest, inviter: by, ...rest } = readForm(endInvitationForm, req.body);
    await endInvitation(ctx, { by: requireViewer(res).id, ...rest }, { by, digest });
    leadBack(res, action, "end");
  });
}

/** Invitations with who came by each, and the form that ends an open one. */
async function presentInvitations(
  ctx: Ctx,
  words: Translator,
  invitations: Invitation[],
  form: Form<unknown> = revokeForm,
) {
  const guests = await findUsers(ctx, new Set(invitations.flatMap((one) => one.guests)));
  return invitations.map((one) => {
    const { digest, used, uses, endsAt, by } = one;
    const end = { time: presentMoment(words, endsAt * 1000) };
    const open = isOpen(one, ctx.now());
    return {
      note: one.note,
      used: words.t("joining.used", { used: words.number(used), uses: words.number(uses) }),
      ends: open ? words.pieces("joining.ends", end) : [words.t("joining.ended")],
      guests: one.guests.flatMap((id) => guests.get(id) ?? []).map(presentName),
      revoke: open ? showForm(words, form, { invitation: digest, inviter: by ?? "" }) : undefined,
    };
  });
}

/** Accepts or declines an applicant, with a note. */
const decideForm = formOf("/admin/requests", {
  fields: { note: anyText, verb: z.enum(["accept", "decline"]) },
  hidden: { applicant: idField(parseUserId), nonce },
});

/** Applicants, with forms to accept and to decline each for those who may; guardAdminArea refuses other users. */
export function requestPages(router: Router, ctx: Ctx): void {
  const { action } = decideForm;
  formPage(router, action, {
    async show(_req, res) {
      const reader = requireReader(res);
      const { viewer, words, before } = reader;
      const page = await applicationsPage(ctx, { before, limit: pageSize });
      const mayDecide = mayDo(ctx, viewer, "POST", action);
      res.render("admin/requests", {
        title: titleOf(words, "joining.requests"),
        applications: page.items.map(({ user, reason, since }) => ({
          ...presentName(user),
          reason,
          since: words.pieces("joining.since", { time: presentMoment(words, since) }),
          form: mayDecide ? showForm(words, decideForm, { applicant: user.id }) : undefined,
        })),
        ...presentPaging(reader, action, page, "joining.noRequests"),
      });
    },
    async submit(req, res) {
      const { applicant, verb, ...rest } = readForm(decideForm, req.body);
      const decision = { by: requireViewer(res).id, ...rest };
      if (verb === "accept") await acceptApplicant(ctx, decision, applicant);
      else await refuseApplicant(ctx, decision, applicant);
      leadBack(res, action, verb);
    },
  });
}
