import type { Request, Response, Router } from "express";
import type { Ctx } from "../../../context.ts";
import type { Problems } from "../../../domain/errors.ts";
import { changeAvatar } from "../../../domain/users/avatars.ts";
import { editProfile } from "../../../domain/users/settings.ts";
import { startForm } from "../settings/form.ts";
import { readChanges, withMarks } from "../../layout/form-changes.ts";
import { showForm, textsOf, withNext } from "../../layout/form.ts";
import { showComposer } from "../tweets/form.ts";
import { recoveryForm } from "./form.ts";
import { presentPeopleToFollow } from "../../layout/side.ts";
import { fileIn, upload } from "../../request/uploads.ts";
import { requireReader, requireViewer } from "../../request/reader.ts";
import { countVerb, limitVerb } from "../../request/limits.ts";
import { formPage } from "../../request/refusals.ts";
import { stepFrame, stepUrl } from "./view.ts";
import { composerOptions } from "../home/routes.ts";

const peopleShown = 10;

/** Three steps after a sign-up: a picture and a line, people to follow, a first tweet. Nothing notes who took them. */
export function startPages(router: Router, ctx: Ctx): void {
  formPage(router, startForm.action, {
    show: showAboutYou,
    checks: [upload("avatar"), limitVerb(ctx, "profile")],
    async submit(req, res) {
      const viewer = requireViewer(res);
      const { bio } = readChanges(startForm, req.body);
      if (bio !== undefined) await editProfile(ctx, viewer, { bio });
      const picture = fileIn(req);
      if (picture !== undefined) {
        await countVerb(ctx, req, res, "upload");
        await changeAvatar(ctx, viewer.id, picture);
      }
      res.redirect(303, stepUrl(1, inviterIn(req)));
    },
  });

  router.get("/start/people", async (req, res) => {
    const reader = requireReader(res);
    const by = inviterIn(req);
    res.render("start/people", {
      ...stepFrame(reader.words, 1, by),
      people: await presentPeopleToFollow(ctx, reader, peopleShown, by),
    });
  });

  router.get("/start/tweet", async (_req, res) => {
    const { viewer, words } = requireReader(res);
    res.render("start/tweet", {
      ...stepFrame(words, 2, undefined),
      composer: showComposer(words, await composerOptions(ctx, viewer), {}),
      hasRules: res.locals.site.rules !== "",
    });
  });
}

function showAboutYou(req: Request, res: Response, problems: Problems): void {
  const { viewer, words } = requireReader(res);
  const by = inviterIn(req);
  const form = { ...startForm, action: stepUrl(0, by) };
  res.render("start/profile", {
    ...stepFrame(words, 0, by),
    form: showForm(words, form, req.body ?? withMarks(startForm, viewer), problems),
    codesUrl: withNext(recoveryForm.action, form.action),
  });
}

/** Name of the user who invited the new one. */
function inviterIn(req: Request): string | undefined {
  return textsOf(req.query)["by"];
}
