import { Router } from "express";
import { z } from "zod";
import type { Ctx } from "../../../context.ts";
import { messageSenders, replyRights } from "../../../domain/users/choices.ts";
import { chooseAudiences } from "../../../domain/users/settings.ts";
import { type Form, readForm, showForm } from "../../layout/form.ts";
import { requireReader } from "../../request/language.ts";
import { limitVerb } from "../../request/limits.ts";
import { formPage } from "../../request/refusals.ts";
import { requireViewer } from "../../request/session.ts";
import { settingsFrame } from "./view.ts";

/** A message has its people, so it is no default. */
const audiences = ["public", "unlisted", "followers"] as const;

/** A checkbox: without a tick there is no field. */
const tick = z
  .string()
  .optional()
  .transform((value) => value !== undefined);

/** Who sees what the user writes, and who may answer and write to them. */
const audienceForm = {
  action: "/settings/privacy",
  schema: z.object({
    protected: tick,
    audience: z.enum(audiences),
    repliesFrom: z.enum(replyRights),
    messagesFrom: z.enum(messageSenders),
    messageTexts: tick,
  }),
} satisfies Form<unknown>;

export function audienceSettings(ctx: Ctx): Router {
  const router = Router();
  const { action } = audienceForm;
  formPage(
    router,
    action,
    (req, res, problems) => {
      const { viewer, words } = requireReader(res);
      res.render("settings/privacy", {
        ...settingsFrame(words, action, "audience.title"),
        form: showForm(words, audienceForm, {}, problems),
        chosen: viewer,
        audiences,
        replyRights,
        messageSenders,
        saved: "saved" in req.query ? words.t("audience.saved") : undefined,
      });
    },
    limitVerb(ctx, "profile"),
    async (req, res) => {
      await chooseAudiences(ctx, requireViewer(res), readForm(audienceForm, req.body));
      res.redirect(303, `${action}?saved`);
    },
  );
  return router;
}
