import type { Request, Response, Router } from "express";
import type { Ctx } from "../../../context.ts";
import { hasMail } from "../../../domain/accounts/mail.ts";
import {
  getResetLink,
  rescueByAdmin,
  rescueByCode,
  useResetLink,
} from "../../../domain/accounts/reset-links.ts";
import { Invalid, NotFound, type Problems } from "../../../domain/errors.ts";
import { findUserByName, foldName, toName } from "../../../domain/users/store.ts";
import { readForm, showForm, textsOf } from "../../layout/form.ts";
import { widestNetworkOf } from "../../request/address.ts";
import { confirmation } from "../../request/confirmation.ts";
import { knownBrowsers } from "../../request/failed-log-ins.ts";
import { limitVerb } from "../../request/limits.ts";
import { formPage, onRefusal, type ShowForm } from "../../request/refusals.ts";
import { requireViewer } from "../../request/reader.ts";
import { siteUrl } from "../../server/send-public.ts";
import { titleOf } from "../moderation/view.ts";
import { codeForm, forgottenForm, newPasswordForm, resetLinkForm } from "./form.ts";

/** For users who forgot their password: ways to a link, and the form that the link leads to. */
export function rescuePages(router: Router, ctx: Ctx, secret: string): void {
  const browsers = knownBrowsers(secret);
  const show = (req: Request, res: Response, problems: { code?: Problems; mail?: Problems }) => {
    const { words } = res.locals;
    const link = { href: "/about", text: words.t("rescue.admins") };
    res.setHeader("Cache-Control", "no-store");
    res.render("accounts/forgot", {
      title: words.t("rescue.title"),
      codeForm: showForm(words, codeForm, req.body, problems.code),
      mailForm: hasMail(ctx) ? showForm(words, forgottenForm, req.body, problems.mail) : undefined,
      askAdmin: words.pieces("rescue.askAdmin", { link }),
      sent: "sent" in req.query ? words.t("rescue.sent") : undefined,
    });
  };

  const codeAgain = onRefusal((req, res, code) => show(req, res, { code }));
  const mailAgain = onRefusal((req, res, mail) => show(req, res, { mail }));
  const limited = limitVerb(ctx, "rescue");

  router.get("/forgot", (req, res) => show(req, res, {}));
  router.post(codeForm.action, codeAgain, limited, async (req, res) => {
    const { name, recovery_code: code } = readForm(codeForm, req.body);
    res.redirect(303, await rescueByCode(ctx, { name, code }));
  });
  router.post(forgottenForm.action, mailAgain, limited, async (req, res) => {
    if (!hasMail(ctx)) throw new NotFound("mail");
    const { account } = readForm(forgottenForm, req.body);
    await ctx.jobs.mail({ kind: "forgot", account, from: widestNetworkOf(ctx, req) });
    res.redirect(303, "/forgot?sent");
  });

  linkPage(router, ctx, {
    path: "/reset",
    again: "/forgot",
    async show(req, res, problems) {
      const { user, removesFactors } = await getResetLink(ctx, tokenOf(req));
      const { words } = res.locals;
      res.setHeader("Cache-Control", "no-store");
      res.render("accounts/reset", {
        title: words.t("rescue.newPassword"),
        canonical: undefined,
        name: user.name,
        removesFactors,
        form: showForm(words, { ...newPasswordForm, action: req.path }, {}, problems),
      });
    },
    async use(req, res) {
      const { new_password: next } = readForm(newPasswordForm, req.body);
      const { name, generation } = await useResetLink(ctx, tokenOf(req), next);
      // Guesses of others at the password must not keep its owner out.
      browsers.remember(req, res, { name: foldName(name), generation });
      res.redirect(303, "/login?again&changed");
    },
  });
}

/** The secret of the link that was opened: the end of its path. */
export function tokenOf({ path }: Request): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/**
 * The page of a one-time link. GET does not use the link up: programs open links in mails and chats. If `show` or `use`
 * throws NotFound, the page says how to get a new link at `again`.
 */
export function linkPage(
  router: Router,
  ctx: Ctx,
  page: { path: string; again: string; show: ShowForm; use: ShowForm },
): void {
  const { path, again, show, use } = page;
  const orGone =
    (work: ShowForm): ShowForm =>
    async (req, res, problems) => {
      try {
        await work(req, res, problems);
      } catch (error) {
        if (!(error instanceof NotFound)) throw error;
        const { words } = res.locals;
        res.setHeader("Cache-Control", "no-store");
        const link = { href: again, text: words.t("rescue.newLink") };
        res.status(404).render("accounts/link-gone", {
          title: words.t("rescue.linkGone"),
          canonical: undefined,
          sentence: words.pieces("rescue.linkGoneHint", { link }),
        });
      }
    };
  const used = orGone(use);
  formPage(router, `${path}/:token`, {
    show: orGone(show),
    checks: [limitVerb(ctx, "rescue")],
    submit: (req, res) => used(req, res, {}),
  });
}

/** Admins make links with which users set a new password; guardAdminArea refuses other users. */
export function resetLinkPages(router: Router, ctx: Ctx, secret: string): void {
  formPage(router, resetLinkForm.action, {
    show: showLinks,
    checks: [confirmation(ctx, secret).first()],
    async submit(req, res) {
      const { name, factors, ...rest } = readForm(resetLinkForm, req.body);
      const user = await findUserByName(ctx, toName(name));
      if (user === undefined) throw new Invalid({ name: "name.unknown" });
      const by = requireViewer(res);
      const decision = { by, removesFactors: factors !== undefined, ...rest };
      const url = `${siteUrl(ctx, req)}${await rescueByAdmin(ctx, decision, user)}`;
      // The only answer that has the link. Not a redirect: only its digest is stored.
      showLinks(req, res, {}, { name: user.name, url });
    },
  });
}

function showLinks(req: Request, res: Response, problems: Problems, made?: object): void {
  const { words } = res.locals;
  const typed: unknown = made === undefined ? req.body : undefined;
  res.render("admin/reset", {
    title: titleOf(words, "moderation.resetLinks"),
    form: showForm(words, resetLinkForm, typed, problems),
    removesFactors: textsOf(typed)["factors"] === "remove",
    made,
  });
}
