import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../../context.ts";
import { promiseNotice } from "../../../domain/accounts/mail.ts";
import { countRecoveryCodes } from "../../../domain/factors/recovery-codes.ts";
import type { Problems } from "../../../domain/problems.ts";
import { addNewPasskey } from "../../../domain/factors/ceremonies.ts";
import { checkPasskeyName, listPasskeys, removePasskey } from "../../../domain/factors/passkeys.ts";
import { findTotp } from "../../../domain/factors/totp.ts";
import { readForm, sentenceFor } from "../../layout/form.ts";
import { addPasskeyForm, readNewPasskey, removePasskeyForm } from "../sign-in/form.ts";
import { recoveryForm } from "../sign-in/rescue-form.ts";
import type { Key } from "../../languages/translator.ts";
import { confirmation, relyingParty, requireRelyingParty } from "../../request/confirmation.ts";
import { requireReader } from "../../request/language.ts";
import { limitVerb } from "../../request/limits.ts";
import { onRefusal } from "../../request/refusals.ts";
import { requireViewer } from "../../request/session.ts";
import { presentNewPasskey, presentPasskeys } from "../sign-in/view.ts";
import { deviceName, settingsFrame } from "./view.ts";
import { presentMoment } from "../../layout/time.ts";

export const securityPath = "/settings/security";

/** What was just done, by the query of the redirect. */
const done = {
  added: "security.passkeyAdded",
  removed: "security.passkeyRemoved",
  last: "security.lastPasskeyRemoved",
  on: "security.totpIsOn",
  off: "security.totpIsOff",
} as const satisfies Record<string, Key>;

/** The ways to log in of the signed-in user: passkeys and the authenticator app. */
export function securitySettings(ctx: Ctx, secret: string): Router {
  const router = Router();
  const confirmed = confirmation(ctx, secret).first();
  const showAgain = onRefusal((req, res, problems) =>
    showSecurity(ctx, req, res, req.body, problems),
  );

  router.get(securityPath, async (req, res) => showSecurity(ctx, req, res));
  router.post(
    addPasskeyForm.action,
    confirmed,
    showAgain,
    limitVerb(ctx, "factor"),
    async (req, res) => {
      const form = readForm(addPasskeyForm, req.body);
      const typed = checkPasskeyName(form.name);
      const name = typed === "" ? deviceOf(req, res) : typed;
      const answer = readNewPasskey(form.passkey);
      const site = requireRelyingParty(ctx, req);
      const { id: user } = requireViewer(res);
      await addNewPasskey(ctx, site, user, { name, answer });
      await promiseNotice(ctx, { kind: "factors", user, at: ctx.now() });
      res.redirect(303, `${securityPath}?added`);
    },
  );
  router.post(removePasskeyForm.action, confirmed, showAgain, async (req, res) => {
    const { id: user } = requireViewer(res);
    await removePasskey(ctx, user, readForm(removePasskeyForm, req.body).id);
    await promiseNotice(ctx, { kind: "factors", user, at: ctx.now() });
    const left = await listPasskeys(ctx, user);
    res.redirect(303, `${securityPath}?${left.length === 0 ? "last" : "removed"}`);
  });
  return router;
}

/** Name of a passkey that its owner did not name. */
function deviceOf(req: Request, res: Response): string {
  return deviceName(res.locals.words, req.get("user-agent") ?? "");
}

export async function showSecurity(
  ctx: Ctx,
  req: Request,
  res: Response,
  values: unknown = {},
  problems: Problems = {},
): Promise<void> {
  const { viewer, words } = requireReader(res);
  const [passkeys, totp, codes] = await Promise.all([
    listPasskeys(ctx, viewer.id),
    findTotp(ctx, viewer.id),
    countRecoveryCodes(ctx, viewer),
  ]);
  const makeCodes = { href: recoveryForm.action, text: words.t("security.makeCodes") };
  const change = (Object.keys(done) as (keyof typeof done)[]).find((name) => name in req.query);
  res.render("settings/security", {
    ...settingsFrame(words, securityPath, "security.title"),
    saved: change === undefined ? undefined : words.t(done[change]),
    passkeys: presentPasskeys(words, passkeys),
    newPasskey: presentNewPasskey(words, relyingParty(ctx, req), values, problems),
    error: problems["form"] && sentenceFor(words, problems["form"]),
    noCodes: codes === 0 ? words.pieces("security.noCodes", { link: makeCodes }) : undefined,
    totpSince:
      totp === undefined
        ? undefined
        : words.pieces("security.totpSince", { time: presentMoment(words, totp) }),
  });
}
