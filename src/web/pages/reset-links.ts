import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../context.ts";
import { rescueByAdmin, toName } from "../../domain/accounts/rescue.ts";
import { Invalid, type Problems } from "../../domain/errors.ts";
import { findUserByName } from "../../domain/users/store.ts";
import { readForm, showForm, textsOf } from "../forms/form.ts";
import { freshAct } from "../forms/moderation.ts";
import { resetLinkForm } from "../forms/rescue.ts";
import { onRefusal } from "../middleware/errors.ts";
import { wordsOf } from "../middleware/language.ts";
import { absoluteUrl } from "../middleware/locals.ts";
import { requireViewer } from "../middleware/session.ts";

/** Admins make links with which users set a new password; adminPages refuses other users. */
export function resetLinkPages(ctx: Ctx): Router {
  const router = Router();

  router.get(resetLinkForm.action, (req, res) => showLinks(req, res, freshAct()));
  router.post(
    resetLinkForm.action,
    onRefusal(async (req, res, problems) => showLinks(req, res, req.body, problems)),
    async (req, res) => {
      const { name, factors, ...rest } = readForm(resetLinkForm, req.body);
      const user = await findUserByName(ctx, toName(name));
      if (user === undefined) throw new Invalid({ name: "name.unknown" });
      const decision = {
        by: requireViewer(res).id,
        removesFactors: factors !== undefined,
        ...rest,
      };
      const url = absoluteUrl(ctx, req, await rescueByAdmin(ctx, decision, user));
      // The only answer that has the link. Not a redirect: only its digest is stored.
      showLinks(req, res, freshAct(), {}, { name: user.name, url });
    },
  );

  return router;
}

function showLinks(
  _req: Request,
  res: Response,
  values: unknown,
  problems: Problems = {},
  made?: { name: string; url: string },
): void {
  const words = wordsOf(res);
  const title = words.t("moderation.resetLinks");
  res.render("admin/reset", {
    page: { title: `${title} · ${words.t("nav.moderation")} · Suzume`, path: resetLinkForm.action },
    form: showForm(words, resetLinkForm, values, problems),
    removesFactors: made === undefined && textsOf(values)["factors"] === "remove",
    made: made && { url: made.url, heading: words.t("moderation.linkFor", { name: made.name }) },
  });
}
