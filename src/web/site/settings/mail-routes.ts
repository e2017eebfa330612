import type { Request, Router } from "express";
import type { Ctx } from "../../../context.ts";
import {
  confirmAddress,
  findPending,
  getConfirmation,
  removeAddress,
  requestAddress,
} from "../../../domain/accounts/confirm-mail.ts";
import { chooseDigest, userOfDigestToken, wantsDigest } from "../../../domain/accounts/digest.ts";
import { findAddress, hasMail } from "../../../domain/accounts/mail.ts";
import { NotFound, required } from "../../../domain/errors.ts";
import { formOf, readForm, showForm } from "../../layout/form.ts";
import { addressForm, confirmAddressForm } from "../sign-in/form.ts";
import { widestNetworkOf } from "../../request/address.ts";
import {
  confirmation,
  passwordOrAnotherWay,
  passwordOrConfirmed,
} from "../../request/confirmation.ts";
import { limitPasswordGuesses } from "../../request/failed-log-ins.ts";
import { requireReader, requireViewer } from "../../request/reader.ts";
import { limitVerb } from "../../request/limits.ts";
import { formPage } from "../../request/refusals.ts";
import { settingsFrame } from "./view.ts";
import { linkPage, tokenOf } from "../sign-in/rescue-routes.ts";
import { z } from "zod";
import type { UserId } from "../../../domain/ids.ts";

const path = addressForm.action;
const confirmed = "/confirm";

/** The mail address of an account, and the link that confirms it. Without SMTP_URL there are no such pages. */
export function mailSettings(router: Router, ctx: Ctx, secret: string): void {
  const attempt = limitPasswordGuesses(ctx);
  router.use([path, confirmed, "/unsubscribe"], (_req, _res, next) =>
    next(hasMail(ctx) ? undefined : new NotFound("mail")),
  );
  digestPages(router, ctx);

  formPage(router, path, {
    async show(req, res, problems) {
      const { viewer, words } = requireReader(res);
      const [owned, pending, hasDigest] = await Promise.all([
        findAddress(ctx, viewer.id),
        findPending(ctx, viewer.id),
        wantsDigest(ctx, viewer.id),
      ]);
      res.render("settings/mail-address", {
        ...settingsFrame(words, "/settings/account", "address.title"),
        form: showForm(words, addressForm, req.body, problems),
        ...(await passwordOrAnotherWay(ctx, req, viewer, path)),
        current: owned?.address,
        pending: pending?.address,
        removeUrl: `${path}/remove`,
        digest: { action: digestForm.action, isOn: hasDigest },
      });
    },
    checks: [limitVerb(ctx, "mail")],
    async submit(req, res) {
      const { viewer, words } = requireReader(res);
      const { address, password: typed } = readForm(addressForm, req.body);
      const password = passwordOrConfirmed(ctx, req, { field: "password", typed });
      const from = widestNetworkOf(ctx, req);
      const input = { address, password, language: words.language, from };
      await attempt(viewer.id, () => requestAddress(ctx, viewer, input));
      res.redirect(303, path);
    },
  });
  router.post(`${path}/remove`, confirmation(ctx, secret).first(), async (_req, res) => {
    await removeAddress(ctx, requireViewer(res).id);
    res.redirect(303, path);
  });

  router.get(confirmed, (_req, res) => {
    res.render("accounts/confirmed", { title: res.locals.words.t("address.confirmTitle") });
  });
  linkPage(router, ctx, {
    path: confirmed,
    again: path,
    async show(req, res, problems) {
      const { user, pending } = await getConfirmation(ctx, tokenOf(req));
      const { words } = res.locals;
      res.setHeader("Cache-Control", "no-store");
      res.render("accounts/confirm", {
        title: words.t("address.confirmTitle"),
        canonical: undefined,
        asked: { address: pending.address, name: user.name },
        form: showForm(words, { ...confirmAddressForm, action: req.path }, {}, problems),
      });
    },
    async use(req, res) {
      await confirmAddress(ctx, tokenOf(req));
      res.redirect(303, confirmed);
    },
  });
}

const digestForm = formOf(`${addressForm.action}/digest`, {
  hidden: { wanted: z.enum(["on", "off"]) },
});

/** The weekly mail: its setting, and the page and the request that end it without a log-in. */
function digestPages(router: Router, ctx: Ctx): void {
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
}

/** Throws NotFound for an address that is not from a mail of this site. */
function userIn(ctx: Ctx, req: Request): UserId {
  return required(userOfDigestToken(ctx, String(req.params["token"])), "weekly mail");
}
