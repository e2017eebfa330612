import { randomUUID } from "node:crypto";
import type { Request, Response, Router } from "express";
import { encode } from "uqr";
import type { Ctx } from "../../../context.ts";
import { requirePassword } from "../../../domain/accounts/change-password.ts";
import { promiseNotice } from "../../../domain/accounts/mail.ts";
import {
  countRecoveryCodes,
  isFirstSet,
  makeRecoveryCodes,
  findTotpSetup,
  startTotp,
  totpSeal,
  turnOffTotp,
  turnOnTotp,
} from "../../../domain/factors/codes.ts";
import { readForm, safePath, showForm, textsOf } from "../../layout/form.ts";
import {
  confirmation,
  passwordOrAnotherWay,
  passwordOrConfirmed,
} from "../../request/confirmation.ts";
import { limitPasswordGuesses } from "../../request/failed-log-ins.ts";
import { requireReader, requireViewer } from "../../request/reader.ts";
import { limitVerb } from "../../request/limits.ts";
import { formPage, onRefusal, type ShowForm } from "../../request/refusals.ts";
import { siteUrl } from "../../server/send-public.ts";
import { recoveryForm, totpForm } from "../sign-in/form.ts";
import { securityPath, showSecurity } from "./security-routes.ts";
import { settingsFrame } from "./view.ts";

/** Turns the authenticator app of the signed-in user on and off. */
export function totpSettings(router: Router, ctx: Ctx, secret: string): void {
  const seal = totpSeal(secret);
  const confirmed = confirmation(ctx, secret).first();
  const { action } = totpForm;
  const limited = limitVerb(ctx, "factor");
  const showStatus = showSecurity(ctx);
  /** Without a key, shows the page from which to start. */
  const showSetup: ShowForm = async (req, res, problems) => {
    const { viewer, words } = requireReader(res);
    const setup = await findTotpSetup(ctx, seal, viewer, res.locals.site.name);
    if (setup === undefined) return await showStatus(req, res, problems);
    res.render("settings/totp", {
      ...settingsFrame(words, securityPath, "security.totp"),
      form: showForm(words, totpForm, {}, problems),
      qr: presentQr(setup.uri),
      // In groups of four, as apps ask for it.
      secret: setup.secret.replaceAll(/.{4}(?=.)/g, "$& "),
    });
  };

  router.post(`${action}/start`, confirmed, onRefusal(showStatus), limited, async (_req, res) => {
    await startTotp(ctx, seal, requireViewer(res).id);
    res.redirect(303, action);
  });
  router.get(action, confirmed, (req, res) => showSetup(req, res, {}));
  router.post(action, confirmed, onRefusal(showSetup), limited, async (req, res) => {
    const { code } = readForm(totpForm, req.body);
    const { id: user } = requireViewer(res);
    await turnOnTotp(ctx, seal, user, code);
    await promiseNotice(ctx, { kind: "factors", user, at: ctx.now() });
    res.redirect(303, `${securityPath}?on`);
  });
  router.post(`${action}/remove`, confirmed, onRefusal(showStatus), async (_req, res) => {
    const { id: user } = requireViewer(res);
    await turnOffTotp(ctx, user);
    await promiseNotice(ctx, { kind: "factors", user, at: ctx.now() });
    res.redirect(303, `${securityPath}?off`);
  });
}

/** A QR code for an svg element, one unit a module. Its border of two modules is part of it. */
function presentQr(text: string) {
  const { size, data } = encode(text, { ecc: "M", border: 2 });
  const path = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return { viewBox: `0 0 ${size} ${size}`, path: path.join("") };
}

/** Recovery codes: offered after sign-up (with `next`), and in the settings. */
export function recoverySettings(router: Router, ctx: Ctx): void {
  const attempt = limitPasswordGuesses(ctx);

  formPage(router, recoveryForm.action, {
    async show(req, res, problems) {
      const { viewer, words } = requireReader(res);
      const typed = textsOf(req.body ?? req.query);
      const isFirst = await isFirstSet(ctx, viewer);
      res.render("settings/recovery", {
        ...settingsFrame(words, "/settings/account", "recovery.title"),
        form: showForm(words, recoveryForm, { nonce: randomUUID(), ...typed }, problems),
        ...(isFirst ? {} : await passwordOrAnotherWay(ctx, req, viewer, recoveryForm.action)),
        left: await countRecoveryCodes(ctx, viewer),
        skipUrl: typed["next"] === undefined ? undefined : safePath(typed["next"]),
      });
    },
    checks: [limitVerb(ctx, "factor")],
    async submit(req, res) {
      const viewer = requireViewer(res);
      const { password: typed, next, nonce } = readForm(recoveryForm, req.body);
      const isFirst = await isFirstSet(ctx, viewer, nonce);
      if (!isFirst) {
        const password = passwordOrConfirmed(ctx, req, { field: "password", typed });
        await attempt(viewer.id, () => requirePassword(ctx, viewer, password, "password"));
      }
      const codes = await makeRecoveryCodes(ctx, viewer, nonce);
      if (!isFirst) await promiseNotice(ctx, { kind: "factors", user: viewer.id, at: ctx.now() });
      showCodes(ctx, req, res, { codes, next });
    },
  });
}

/** The only answer that has the codes. Not a redirect: nothing but their hashes is stored. */
function showCodes(
  ctx: Ctx,
  req: Request,
  res: Response,
  { codes, next = "/settings/account" }: { codes: string[]; next: string | undefined },
): void {
  const { viewer, words } = requireReader(res);
  const site = new URL(siteUrl(ctx, req)).host;
  const heading = words.t("recovery.file", { name: viewer.name, site });
  const file = encodeURIComponent(`${heading}\n\n${codes.join("\n")}\n`);
  res.render("settings/recovery-codes", {
    title: words.t("recovery.yours"),
    heading,
    codes,
    file: { href: `data:text/plain;charset=utf-8,${file}`, name: `suzume-${viewer.name}.txt` },
    next,
  });
}
