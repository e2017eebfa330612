import { type Request, Router } from "express";
import { z } from "zod";
import type { Ctx } from "../../../context.ts";
import { chooseDigest, userOfDigestToken } from "../../../domain/accounts/digest.ts";
import { NotFound } from "../../../domain/errors.ts";
import type { UserId } from "../../../domain/ids.ts";
import { type Form, readForm } from "../../layout/form.ts";
import { limitVerb } from "../../request/limits.ts";
import { requireViewer } from "../../request/session.ts";
import { addressForm } from "../sign-in/rescue-form.ts";

export const digestForm = {
  action: `${addressForm.action}/digest`,
  hidden: ["wanted"],
  schema: z.object({ wanted: z.enum(["on", "off"]) }),
} satisfies Form<unknown>;

/** The weekly mail: its setting, and the page and the request that end it without a log-in. */
export function digestPages(ctx: Ctx): Router {
  const router = Router();
  router.post(digestForm.action, limitVerb(ctx, "profile"), async (req, res) => {
    const { wanted } = readForm(digestForm, req.body);
    await chooseDigest(ctx, requireViewer(res).id, wanted === "on");
    res.redirect(303, addressForm.action);
  });

  // Ends nothing: programs open the links in mails.
  router.get("/unsubscribe/:token", (req, res) => {
    userIn(ctx, req);
    const title = res.locals.words.t("digest.title");
    res.render("accounts/unsubscribe", { title, canonical: undefined, action: req.path });
  });
  // No redirect: programs of mail do not follow it.
  router.post("/unsubscribe/:token", async (req, res) => {
    await chooseDigest(ctx, userIn(ctx, req), false);
    const title = res.locals.words.t("digest.title");
    res.render("accounts/unsubscribe", { title, canonical: undefined, action: undefined });
  });
  return router;
}

/** Throws NotFound for an address that is not from a mail of this site. */
function userIn(ctx: Ctx, req: Request): UserId {
  const user = userOfDigestToken(ctx, String(req.params["token"]));
  if (user === undefined) throw new NotFound("weekly mail");
  return user;
}
