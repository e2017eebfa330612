import { Router } from "express";
import type { Ctx } from "../../../context.ts";
import { blocksPage, mutesPage, timedMutes } from "../../../domain/graph/relations.ts";
import { deleteFilter, listFilters } from "../../../domain/graph/filters.ts";
import { muteWord } from "../../../domain/graph/muted-words.ts";
import { readOwnPeople } from "../../../domain/graph/people-lists.ts";
import { readForm } from "../../layout/form.ts";
import { muteWordForm, unmuteWordForm } from "./form.ts";
import { requireReader } from "../../request/language.ts";
import { limitVerb } from "../../request/limits.ts";
import { formPage } from "../../request/refusals.ts";
import { requireViewer } from "../../request/session.ts";
import { presentBlocked, presentMuted } from "./view.ts";

/** Users and words that the viewer has muted, and users that the viewer has blocked. */
export function mutedSettings(ctx: Ctx): Router {
  const router = Router();

  formPage(
    router,
    muteWordForm.action,
    async (req, res, problems) => {
      const reader = requireReader(res);
      const { viewer, before } = reader;
      const [muted, ends, people] = await Promise.all([
        listFilters(ctx, viewer.id),
        timedMutes(ctx, viewer.id),
        readOwnPeople(ctx, { before }, (range) => mutesPage(ctx, viewer.id, range)),
      ]);
      const view = await presentMuted(ctx, reader, { muted, ends, people }, req.body, problems);
      res.render("settings/muted", view);
    },
    limitVerb(ctx, "filter"),
    async (req, res) => {
      const { id } = requireViewer(res);
      await muteWord(ctx, id, readForm(muteWordForm, req.body));
      res.redirect(303, muteWordForm.action);
    },
  );
  router.post(unmuteWordForm.action, async (req, res) => {
    const { id } = requireViewer(res);
    await deleteFilter(ctx, id, readForm(unmuteWordForm, req.body).filter);
    res.redirect(303, muteWordForm.action);
  });

  router.get("/settings/blocked", async (_req, res) => {
    const reader = requireReader(res);
    const { viewer, before } = reader;
    const page = await readOwnPeople(ctx, { before }, (range) => blocksPage(ctx, viewer.id, range));
    res.render("settings/blocked", await presentBlocked(ctx, reader, page));
  });

  return router;
}
