import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../context.ts";
import { rescueByAdmin, toName } from "../../domain/accounts/rescue.ts";
import { Invalid } from "../../domain/errors.ts";
import type { Problems } from "../../domain/problems.ts";
import { findUserByName } from "../../domain/users/store.ts";
import { readForm, showForm, textsOf } from "../forms/form.ts";
import { freshAct } from "../forms/moderation.ts";
import { resetLinkForm } from "../forms/rescue.ts";
import { confirmation } from "../middleware/confirmation.ts";
import { formPage } from "../middleware/refusals.ts";
import { requireViewer } from "../middleware/session.ts";
import { siteUrl } from "../send-public.ts";

/** Admins make links with which users set a new password; adminPages refuses other users. */
export function resetLinkPages(ctx: Ctx, secret: string): Router {
  const router = Router();

  formPage(
    router,
    resetLinkForm.action,
    (req, res, problems) => showLinks(req, res, problems),
    confirmation(ctx, secret).first(),
    async (req, res) => {
      const { name, factors, ...rest } = readForm(resetLinkForm, req.body);
      const user = await findUserByName(ctx, toName(name));
      if (user === undefined) throw new Invalid({ name: "name.unknown" });
      const decision = {
        by: requireViewer(res).id,
        removesFactors: factors !== undefined,
        ...rest,
      };
      const url = `${siteUrl(ctx, req)}${await rescueByAdmin(ctx, decision, user)}`;
      // The only answer that has the link. Not a redirect: only its digest is stored.
      showLinks(req, res, {}, { name: user.name, url });
    },
  );

  return router;
}

function showLinks(
  req: Request,
  res: Response,
  problems: Problems,
  made?: { name: string; url: string },
): void {
  const { words } = res.locals;
  const typed: unknown = made === undefined ? (req.body ?? freshAct()) : freshAct();
  res.render("admin/reset", {
    title: `${words.t("moderation.resetLinks")} · ${words.t("nav.moderation")}`,
    form: showForm(words, resetLinkForm, typed, problems),
    removesFactors: textsOf(typed)["factors"] === "remove",
    made: made && { url: made.url, heading: words.t("moderation.linkFor", { name: made.name }) },
  });
}
