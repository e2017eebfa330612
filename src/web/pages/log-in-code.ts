import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../context.ts";
import type { Problems } from "../../domain/problems.ts";
import { checkSecondFactor } from "../../domain/accounts/second-factor.ts";
import { type HalfOpen, useHalfOpen } from "../../domain/factors/half-open.ts";
import { totpSeal } from "../../domain/factors/totp.ts";
import { findUser } from "../../domain/users/store.ts";
import { logInCodeForm } from "../forms/factors.ts";
import { readForm, showForm } from "../forms/form.ts";
import { type Admissions, waitingLogIn } from "../middleware/admit.ts";
import { type AttemptLogIn, limitPasswordGuesses } from "../middleware/guesses.ts";
import { formPage } from "../middleware/refusals.ts";
import { presentPasskeyLogIn } from "../present/passkeys.ts";
import { relyingParty } from "../middleware/relying-party.ts";
import { keepAppConnected } from "../middleware/security.ts";

const expired = "/login?expired";

/** The second page of the log-in, for accounts with an authenticator app: the password was right. */
export function logInCodePages(
  ctx: Ctx,
  { secret, admit, attempt }: { secret: string; admit: Admissions; attempt: AttemptLogIn },
): Router {
  const router = Router();
  const seal = totpSeal(secret);
  const attemptCode = limitPasswordGuesses(ctx);
  const { action } = logInCodeForm;

  formPage(
    router,
    action,
    async (req, res, problems) => {
      const waiting = await waitingLogIn(ctx, req);
      if (waiting === undefined) res.redirect(303, expired);
      else showCode(req, res, waiting, problems);
    },
    async (req, res) => {
      const waiting = await waitingLogIn(ctx, req);
      const user = waiting && (await findUser(ctx, waiting.admission.user));
      if (waiting === undefined || user === undefined) {
        res.redirect(303, expired);
        return;
      }
      keepAppConnected(res, waiting.next);
      const { code } = readForm(logInCodeForm, req.body);
      // By account in any case: who has the password may have many browsers.
      await attempt(req, user.name, () =>
        attemptCode(user.id, () => checkSecondFactor(ctx, seal, user, code)),
      );
      if (await useHalfOpen(ctx, waiting))
        await admit.complete(req, res, waiting.admission, waiting.next);
      else res.redirect(303, expired);
    },
  );
  return router;

  function showCode(req: Request, res: Response, { next }: HalfOpen, problems: Problems): void {
    const { words } = res.locals;
    keepAppConnected(res, next);
    res.render("accounts/code", {
      title: words.t("logIn.codeTitle"),
      form: showForm(words, logInCodeForm, {}, problems),
      passkeyForm: presentPasskeyLogIn(relyingParty(ctx, req), next),
    });
  }
}
