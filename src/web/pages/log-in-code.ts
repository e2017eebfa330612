import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../context.ts";
import type { Problems } from "../../domain/errors.ts";
import { checkSecondFactor } from "../../domain/accounts/second-factor.ts";
import { useHalfOpen } from "../../domain/factors/half-open.ts";
import { totpSeal } from "../../domain/factors/totp.ts";
import { findUser } from "../../domain/users/store.ts";
import { logInCodeForm } from "../forms/factors.ts";
import { readForm, showForm } from "../forms/form.ts";
import { type Admissions, waitingLogIn } from "../middleware/admit.ts";
import { onRefusal } from "../middleware/errors.ts";
import type { LogInLimits } from "../middleware/guesses.ts";
import { wordsOf } from "../middleware/language.ts";
import { presentPasskeyLogIn } from "../present/passkeys.ts";
import { relyingParty } from "../middleware/relying-party.ts";

const expired = "/login?expired";

/** The second page of the log-in, for accounts with an authenticator app: the password was right. */
export function logInCodePages(
  ctx: Ctx,
  { secret, admit, logIns }: { secret: string; admit: Admissions; logIns: LogInLimits },
): Router {
  const router = Router();
  const seal = totpSeal(secret);
  const { action } = logInCodeForm;

  router.get(action, async (req, res) => {
    if ((await waitingLogIn(ctx, req)) === undefined) res.redirect(303, expired);
    else await showCode(req, res);
  });
  router.post(
    action,
    onRefusal((req, res, problems) => showCode(req, res, problems)),
    async (req, res) => {
      const waiting = await waitingLogIn(ctx, req);
      const user = waiting && (await findUser(ctx, waiting.admission.user));
      if (waiting === undefined || user === undefined) {
        res.redirect(303, expired);
        return;
      }
      const { code } = readForm(logInCodeForm, req.body);
      await logIns.attempt(req, user.name, () => checkSecondFactor(ctx, seal, user, code));
      if (await useHalfOpen(ctx, waiting))
        await admit.complete(req, res, waiting.admission, waiting.next);
      else res.redirect(303, expired);
    },
  );
  return router;

  async function showCode(req: Request, res: Response, problems: Problems = {}): Promise<void> {
    const words = wordsOf(res);
    const { next = "/" } = (await waitingLogIn(ctx, req)) ?? {};
    res.render("accounts/code", {
      page: { title: `${words.t("logIn.codeTitle")} · Suzume`, path: action },
      form: showForm(words, logInCodeForm, {}, problems),
      passkeyForm: presentPasskeyLogIn(relyingParty(ctx, req), next),
    });
  }
}
