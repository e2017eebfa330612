import type { Router } from "express";
import type { Ctx } from "../../../context.ts";
import { promiseNotice } from "../../../domain/accounts/mail.ts";
import { countRecoveryCodes, findTotp } from "../../../domain/factors/codes.ts";
import { addNewPasskey } from "../../../domain/factors/ceremonies.ts";
import { checkPasskeyName, listPasskeys, removePasskey } from "../../../domain/factors/passkeys.ts";
import { readForm, sentenceFor, showForm } from "../../layout/form.ts";
import {
  addPasskeyForm,
  readNewPasskey,
  recoveryForm,
  removePasskeyForm,
} from "../sign-in/form.ts";
import type { Key } from "../../languages/translator.ts";
import { confirmation, relyingParty, requireRelyingParty } from "../../request/confirmation.ts";
import { requireReader, requireViewer } from "../../request/reader.ts";
import { limitVerb } from "../../request/limits.ts";
import { onRefusal, type ShowForm } from "../../request/refusals.ts";
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
export function securitySettings(router: Router, ctx: Ctx, secret: string): void {
  const confirmed = confirmation(ctx, secret).first();
  const show = showSecurity(ctx);
  const showAgain = onRefusal(show);
  const limited = limitVerb(ctx, "factor");

  router.get(securityPath, (req, res) => show(req, res, {}));
  router.post(addPasskeyForm.action, confirmed, showAgain, limited, async (req, res) => {
    const form = readForm(addPasskeyForm, req.body);
    const device = deviceName(res.locals.words, req.get("user-agent") ?? "");
    const name = checkPasskeyName(form.name) || device;
    const answer = readNewPasskey(form.passkey);
    const site = requireRelyingParty(ctx, req);
    const { id: user } = requireViewer(res);
    await addNewPasskey(ctx, site, user, { name, answer });
    await promiseNotice(ctx, { kind: "factors", user, at: ctx.now() });
    res.redirect(303, `${securityPath}?added`);
  });
  router.post(removePasskeyForm.action, confirmed, showAgain, async (req, res) => {
    const { id: user } = requireViewer(res);
    await removePasskey(ctx, user, readForm(removePasskeyForm, req.body).id);
    await promiseNotice(ctx, { kind: "factors", user, at: ctx.now() });
    const left = await listPasskeys(ctx, user);
    res.redirect(303, `${securityPath}?${left.length === 0 ? "last" : "removed"}`);
  });
}

/** The page of these settings, with what was typed as the name of a new passkey. */
export function showSecurity(ctx: Ctx): ShowForm {
  return async (req, res, problems) => {
    const { viewer, words } = requireReader(res);
    const [passkeys, totp, codes] = await Promise.all([
      listPasskeys(ctx, viewer.id),
      findTotp(ctx, viewer.id),
      countRecoveryCodes(ctx, viewer),
    ]);
    const makeCodes = { href: recoveryForm.action, text: words.t("security.makeCodes") };
    const change = (Object.keys(done) as (keyof typeof done)[]).find((name) => name in req.query);
    const problem = problems["form"];
    res.render("settings/security", {
      ...settingsFrame(words, securityPath, "security.title"),
      saved: change && words.t(done[change]),
      passkeys: passkeys.map(({ id, name, synced, createdAt, usedAt }) => ({
        id,
        name,
        synced,
        created: words.pieces("security.added", { time: presentMoment(words, createdAt) }),
        used: usedAt && words.pieces("security.used", { time: presentMoment(words, usedAt) }),
      })),
      newPasskey:
        relyingParty(ctx, req) && showForm(words, addPasskeyForm, req.body ?? {}, problems),
      error: problem && sentenceFor(words, problem),
      noCodes: codes === 0 ? words.pieces("security.noCodes", { link: makeCodes }) : undefined,
      totpSince: totp && words.pieces("security.totpSince", { time: presentMoment(words, totp) }),
    });
  };
}
