import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../../context.ts";
import { requirePassword } from "../../../domain/accounts/change-password.ts";
import {
  countRecoveryCodes,
  isFirstSet,
  makeRecoveryCodes,
} from "../../../domain/accounts/recovery-codes.ts";
import type { Problems } from "../../../domain/problems.ts";
import { readForm, showForm, textsOf } from "../../forms/form.ts";
import { recoveryForm } from "../../forms/rescue.ts";
import { safePath } from "../../forms/safe-redirect.ts";
import { passwordOrAnotherWay, passwordOrConfirmed } from "../../middleware/confirmation.ts";
import { limitPasswordGuesses } from "../../middleware/guesses.ts";
import { requireReader } from "../../middleware/language.ts";
import { limitAct } from "../../middleware/limits.ts";
import { formPage } from "../../middleware/refusals.ts";
import { requireViewer } from "../../middleware/session.ts";
import { settingsFrame } from "../../present/settings.ts";
import { siteUrl } from "../../send-public.ts";

/** Recovery codes: offered after sign-up (with `next`), and in the settings. */
export function recoverySettings(ctx: Ctx): Router {
  const router = Router();
  const attempt = limitPasswordGuesses(ctx);

  formPage(
    router,
    recoveryForm.action,
    (req, res, problems) => showRecovery(ctx, req, res, problems),
    limitAct(ctx, "rescues"),
    async (req, res) => {
      const viewer = requireViewer(res);
      const { password: typed, next } = readForm(recoveryForm, req.body);
      if (!(await isFirstSet(ctx, viewer))) {
        const password = passwordOrConfirmed(ctx, req, { field: "password", typed });
        await attempt(viewer.id, () => requirePassword(ctx, viewer, password, "password"));
      }
      showCodes(ctx, req, res, await makeRecoveryCodes(ctx, viewer), next);
    },
  );

  return router;
}

async function showRecovery(
  ctx: Ctx,
  req: Request,
  res: Response,
  problems: Problems,
): Promise<void> {
  const { viewer, words } = requireReader(res);
  const values: unknown = req.body ?? req.query;
  const { next } = textsOf(values);
  const left = await countRecoveryCodes(ctx, viewer);
  const isFirst = await isFirstSet(ctx, viewer);
  res.render("settings/recovery", {
    ...settingsFrame(words, "/settings/account", "recovery.title"),
    form: showForm(words, recoveryForm, values, problems),
    ...(isFirst ? {} : await passwordOrAnotherWay(ctx, req, viewer, recoveryForm.action)),
    left: left === 0 ? undefined : words.t("recovery.left", words.counted(left)),
    skipUrl: next === undefined ? undefined : safePath(next),
  });
}

/** The only answer that has the codes. Not a redirect: nothing but their hashes is stored. */
function showCodes(
  ctx: Ctx,
  req: Request,
  res: Response,
  codes: string[],
  next = "/settings/account",
): void {
  const { viewer, words } = requireReader(res);
  const site = new URL(siteUrl(ctx, req)).host;
  const heading = words.t("recovery.file", { name: viewer.name, site });
  const file = `${heading}\n\n${codes.join("\n")}\n`;
  res.render("settings/recovery-codes", {
    title: words.t("recovery.yours"),
    heading,
    codes,
    file: {
      href: `data:text/plain;charset=utf-8,${encodeURIComponent(file)}`,
      name: `suzume-${viewer.name}.txt`,
    },
    next,
  });
}
