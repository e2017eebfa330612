import { Router } from "express";
import type { Ctx } from "../../context.ts";
import { Forbidden } from "../../domain/errors.ts";
import { askForNewPasskey, askForPasskey } from "../../domain/factors/ceremonies.ts";
import { logInByPasskey } from "../../domain/factors/prove.ts";
import { readForm } from "../forms/form.ts";
import { passkeyLogInForm, passkeyOptionsForm, readPasskeyAnswer } from "../forms/passkeys.ts";
import type { Admissions } from "../middleware/admit.ts";
import { limitAct } from "../middleware/limits.ts";
import { onRefusal, type ShowForm } from "../middleware/refusals.ts";
import { requireRelyingParty } from "../middleware/relying-party.ts";
import { isConfirmed, requireViewer } from "../middleware/session.ts";

/** Log-in with a passkey, and what the site's script asks passkeys for. `showLogIn` shows a refused log-in. */
export function passkeyPages(ctx: Ctx, admit: Admissions, showLogIn: ShowForm): Router {
  const router = Router();

  router.post(passkeyOptionsForm.action, limitAct(ctx, "challenges"), async (req, res) => {
    const site = requireRelyingParty(ctx, req);
    const { act } = readForm(passkeyOptionsForm, req.body);
    if (act === "log-in") {
      res.json(await askForPasskey(ctx, site, { act }));
      return;
    }
    const viewer = requireViewer(res);
    if (act === "confirm") res.json(await askForPasskey(ctx, site, { act, user: viewer.id }));
    else if (isConfirmed(ctx, req)) res.json(await askForNewPasskey(ctx, site, viewer));
    else throw new Forbidden("not confirmed");
  });

  router.post(
    passkeyLogInForm.action,
    onRefusal(showLogIn),
    limitAct(ctx, "challenges"),
    async (req, res) => {
      const { passkey, next } = readForm(passkeyLogInForm, req.body);
      const proof = { passkey: readPasskeyAnswer(passkey), site: requireRelyingParty(ctx, req) };
      await admit.complete(req, res, await logInByPasskey(ctx, proof), next);
    },
  );
  return router;
}
