import type { Router } from "express";
import { z } from "zod";
import type { Ctx } from "../../../context.ts";
import {
  acceptApplicant,
  applicationsPage,
  refuseApplicant,
} from "../../../domain/community/applications.ts";
import { parseUserId } from "../../../domain/ids.ts";
import { pageSize } from "../../../domain/page.ts";
import { anyText, formOf, nonce, readForm, showForm } from "../../layout/form.ts";
import { presentPaging } from "../../layout/paging.ts";
import { presentName } from "../../layout/people.ts";
import { presentMoment } from "../../layout/time.ts";
import { leadBack, mayDo } from "../../request/admin-area.ts";
import { requireReader } from "../../request/language.ts";
import { formPage } from "../../request/refusals.ts";
import { requireViewer } from "../../request/session.ts";
import { idField, titleOf } from "../moderation/view.ts";

/** Accepts or declines an applicant, with a note. */
const decideForm = formOf("/admin/requests", {
  fields: { note: anyText, verb: z.enum(["accept", "decline"]) },
  hidden: { applicant: idField(parseUserId), nonce },
});

/** Applicants, with forms to accept and to decline each for those who may; guardAdminArea refuses other users. */
export function requestPages(router: Router, ctx: Ctx): void {
  const { action } = decideForm;
  formPage(
    router,
    action,
    async (_req, res) => {
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
    async (req, res) => {
      const { applicant, verb, ...rest } = readForm(decideForm, req.body);
      const decision = { by: requireViewer(res).id, ...rest };
      if (verb === "accept") await acceptApplicant(ctx, decision, applicant);
      else await refuseApplicant(ctx, decision, applicant);
      leadBack(res, action, verb);
    },
  );
}
