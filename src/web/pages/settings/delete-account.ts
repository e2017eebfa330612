import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../../context.ts";
import { deleteAccount } from "../../../domain/accounts/erase.ts";
import type { Problems } from "../../../domain/errors.ts";
import { readForm, showForm } from "../../forms/form.ts";
import { deletionForm } from "../../forms/settings.ts";
import { passwordOrAnotherWay, passwordOrConfirmed } from "../../middleware/confirmation.ts";
import { onRefusal } from "../../middleware/errors.ts";
import { requireReader, wordsOf } from "../../middleware/language.ts";
import { limitPasswordGuesses } from "../../middleware/guesses.ts";
import { requireViewer, signOut, viewerOf } from "../../middleware/session.ts";
import { settingsFrame } from "./settings.ts";

/** Deletion of the user's own account. */
export function leavingPages(ctx: Ctx): Router {
  const router = Router();
  const guesses = limitPasswordGuesses(ctx);

  router.get(deletionForm.action, async (req, res) => {
    if ("done" in req.query && viewerOf(res) === undefined) showGoodbye(res);
    else await showDeletion(ctx, req, res);
  });
  router.post(
    deletionForm.action,
    onRefusal((req, res, problems) => showDeletion(ctx, req, res, problems)),
    async (req, res) => {
      const viewer = requireViewer(res);
      const form = readForm(deletionForm, req.body);
      const typed = form.password;
      const password = passwordOrConfirmed(ctx, req, { field: "password", typed });
      await guesses.attempt(viewer.id, () =>
        deleteAccount(ctx, viewer, { name: form.name, password }),
      );
      await signOut(ctx, req, res);
      res.redirect(303, `${deletionForm.action}?done`);
    },
  );

  return router;
}

async function showDeletion(
  ctx: Ctx,
  req: Request,
  res: Response,
  problems: Problems = {},
): Promise<void> {
  const { viewer, words } = requireReader(res);
  const takeAlong = { href: "/settings/data", text: words.t("leaving.takeAlongLink") };
  res.render("settings/delete", {
    ...settingsFrame(words, "/settings/account", "leaving.title"),
    name: viewer.name,
    takeAlong: words.pieces("leaving.takeAlong", { link: takeAlong }),
    form: showForm(words, deletionForm, req.body, problems),
    ...(await passwordOrAnotherWay(ctx, req, viewer, deletionForm.action)),
  });
}

function showGoodbye(res: Response): void {
  res.render("settings/deleted", {
    page: { title: `${wordsOf(res).t("leaving.goodbye")} · Suzume`, path: "/" },
  });
}
