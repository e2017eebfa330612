import type { Router } from "express";
import type { Ctx } from "../../../context.ts";
import { checkSecondFactor, useSecondFactor } from "../../../domain/factors/second-factor.ts";
import { totpSeal } from "../../../domain/factors/codes.ts";
import { findUser } from "../../../domain/users/store.ts";
import { readForm, safePath, showForm, textsOf } from "../../layout/form.ts";
import { type LogInCompletion, waitingLogIn } from "../../request/log-in-completion.ts";
import { askToConfirm, confirmation, relyingParty } from "../../request/confirmation.ts";
import { type AttemptLogIn, limitPasswordGuesses } from "../../request/failed-log-ins.ts";
import { formPage } from "../../request/refusals.ts";
import { keepAppConnected } from "../../request/security.ts";
import { requireViewer } from "../../request/reader.ts";
import { isConfirmed } from "../../request/session.ts";
import { confirmForm, logInCodeForm, passkeyLogInForm } from "./form.ts";

const expired = "/login?expired";

/** The second page of the log-in, for accounts with an authenticator app: the password was right. */
export function logInCodePages(
  router: Router,
  ctx: Ctx,
  secret: string,
  completion: LogInCompletion,
  attempt: AttemptLogIn,
): void {
  const seal = totpSeal(secret);
  const attemptCode = limitPasswordGuesses(ctx);

  formPage(router, logInCodeForm.action, {
    async show(req, res, problems) {
      const waiting = await waitingLogIn(ctx, req);
      if (waiting === undefined) return res.redirect(303, expired);
      const { words } = res.locals;
      keepAppConnected(res, waiting.next);
      res.render("accounts/code", {
        title: words.t("logIn.codeTitle"),
        form: showForm(words, logInCodeForm, {}, problems),
        passkeyForm:
          relyingParty(ctx, req) && showForm(words, passkeyLogInForm, { next: waiting.next }),
      });
    },
    async submit(req, res) {
      const waiting = await waitingLogIn(ctx, req);
      const user = waiting && (await findUser(ctx, waiting.logIn.user));
      if (waiting === undefined || user === undefined) return res.redirect(303, expired);
      keepAppConnected(res, waiting.next);
      const { code } = readForm(logInCodeForm, req.body);
      // By account in any case: who has the password may have many browsers.
      await attempt(req, user.name, () =>
        attemptCode(user.id, () => checkSecondFactor(ctx, seal, user, code)),
      );
      if (await useSecondFactor(ctx, waiting))
        await completion.complete(req, res, waiting.logIn, waiting.next);
      else res.redirect(303, expired);
    },
  });
}

/** Asks signed-in users who they are, and leads on to `next`. With `again`, a log-in just now is not enough. */
export function provePages(router: Router, ctx: Ctx, secret: string): void {
  const { check } = confirmation(ctx, secret);
  const { action } = confirmForm;

  formPage(router, action, {
    async show(req, res, problems) {
      requireViewer(res);
      const isDone = isConfirmed(ctx, req, "again" in req.query ? "again" : undefined);
      if (req.method !== "POST" && isDone) res.redirect(303, safePath(textsOf(req.query)["next"]));
      else await askToConfirm(ctx, req, res, { action, problems });
    },
    async submit(req, res) {
      await check(req, res);
      res.redirect(303, readForm(confirmForm, req.body).next);
    },
  });
}
