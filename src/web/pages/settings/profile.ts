import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../../context.ts";
import { Invalid } from "../../../domain/errors.ts";
import type { Problems } from "../../../domain/problems.ts";
import type { UserId } from "../../../domain/ids.ts";
import { changeHeader, removeHeader } from "../../../domain/pictures/header.ts";
import { changeAvatar, removeAvatar } from "../../../domain/users/avatars.ts";
import { editProfile } from "../../../domain/users/settings.ts";
import { avatarForm, headerForm, profileForm } from "../../forms/accounts.ts";
import { readForm, showForm } from "../../forms/form.ts";
import { upload } from "../../middleware/bodies.ts";
import { requireReader } from "../../middleware/language.ts";
import { limitAct } from "../../middleware/limits.ts";
import { formPage, onRefusal } from "../../middleware/refusals.ts";
import { requireViewer } from "../../middleware/session.ts";
import { presentHeader } from "../../present/pictures.ts";
import { settingsFrame } from "../../present/settings.ts";

const saved = "/settings/profile?saved";

/** What users tell about themselves, with the two pictures of their profile. */
export function profileSettings(ctx: Ctx): Router {
  const router = Router();

  formPage(
    router,
    profileForm.action,
    (req, res, problems) => showProfile(ctx, req, res, problems, req.body),
    limitAct(ctx, "profile"),
    async (req, res) => {
      await editProfile(ctx, requireViewer(res), readForm(profileForm, req.body));
      res.redirect(303, saved);
    },
  );

  const picture = (
    { action, secrets: [field = ""] }: { action: string; secrets: readonly string[] },
    change: (ctx: Ctx, user: UserId, bytes: Buffer) => Promise<void>,
    remove: (ctx: Ctx, user: UserId) => Promise<void>,
  ) => {
    router.post(
      action,
      onRefusal((req, res, problems) => showProfile(ctx, req, res, problems)),
      limitAct(ctx, "uploads"),
      upload(field),
      async (req, res) => {
        if (req.file === undefined) throw new Invalid({ [field]: "avatar.missing" });
        await change(ctx, requireViewer(res).id, req.file.buffer);
        res.redirect(303, saved);
      },
    );
    router.post(`${action}/remove`, async (_req, res) => {
      await remove(ctx, requireViewer(res).id);
      res.redirect(303, saved);
    });
  };
  picture(avatarForm, changeAvatar, removeAvatar);
  picture(headerForm, changeHeader, removeHeader);

  return router;
}

/** `typed`: a submitted profile; default: the stored one. */
function showProfile(
  ctx: Ctx,
  req: Request,
  res: Response,
  problems: Problems,
  typed?: unknown,
): void {
  const { viewer, words } = requireReader(res);
  res.render("settings/profile", {
    ...settingsFrame(words, profileForm.action, "settings.profile"),
    form: showForm(words, profileForm, typed ?? viewer, problems),
    avatarForm: showForm(words, avatarForm, {}, problems),
    removeUrl: viewer.avatar === "" ? undefined : `${avatarForm.action}/remove`,
    headerForm: ctx.storage && showForm(words, headerForm, {}, problems),
    header: presentHeader(viewer),
    removeHeaderUrl: viewer.header === "" ? undefined : `${headerForm.action}/remove`,
    saved: "saved" in req.query ? words.t("settings.profileSaved") : undefined,
  });
}
