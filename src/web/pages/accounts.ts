import { Router } from "express";
import type { Ctx } from "../../context.ts";
import { prepareHome } from "../../domain/timelines/home.ts";
import { logIn } from "../../domain/users/log-in.ts";
import { foldName } from "../../domain/users/store.ts";
import { warmUpPasswords } from "../../domain/users/passwords.ts";
import { signUp } from "../../domain/users/sign-up.ts";
import { logInForm, signUpForm } from "../forms/accounts.ts";
import { readForm, showForm, textsOf } from "../forms/form.ts";
import { recoveryForm } from "../forms/rescue.ts";
import { safePath } from "../forms/safe-redirect.ts";
import { addressOf } from "../middleware/address.ts";
import { admissions } from "../middleware/admit.ts";
import { limitLogIns } from "../middleware/guesses.ts";
import { knownBrowsers } from "../middleware/known-browser.ts";
import { limitSignUps } from "../middleware/limits.ts";
import { formPage, type ShowForm } from "../middleware/refusals.ts";
import { relyingParty } from "../middleware/relying-party.ts";
import { signIn, signOut, viewerOf } from "../middleware/session.ts";
import { presentPasskeyLogIn } from "../present/passkeys.ts";
import { logInCodePages } from "./log-in-code.ts";
import { passkeyPages } from "./passkeys.ts";

export function accountPages(ctx: Ctx, secret: string): Router {
  const router = Router();
  const browsers = knownBrowsers(secret);
  const attemptLogIn = limitLogIns(ctx, browsers);
  const countSignUp = limitSignUps(ctx);
  const admit = admissions(ctx, browsers);
  const showLogIn = show(ctx, "login");
  void warmUpPasswords(ctx.config.bcryptCost);

  formPage(router, "/signup", show(ctx, "signup"), async (req, res) => {
    const { next, ...person } = readForm(signUpForm, req.body);
    const user = await countSignUp(req, res, () => signUp(ctx, person, addressOf(req)));
    await prepareHome(ctx, user, "new");
    await signIn(ctx, req, { user, generation: "" });
    browsers.remember(req, res, foldName(person.name.trim()));
    res.redirect(303, withNext(recoveryForm.action, next, "always"));
  });

  formPage(router, "/login", showLogIn, async (req, res) => {
    const { next, ...credentials } = readForm(logInForm, req.body);
    const admission = await attemptLogIn(req, credentials.name, (asker) =>
      logIn(ctx, credentials, asker),
    );
    await admit.afterPassword(req, res, admission, next);
  });
  router.use(logInCodePages(ctx, { secret, admit, attempt: attemptLogIn }));
  router.use(passkeyPages(ctx, admit, showLogIn));

  router.post("/logout", async (req, res) => {
    await signOut(ctx, req, res);
    res.redirect(303, "/");
  });

  return router;
}

const forms = {
  signup: { form: signUpForm, other: logInForm },
  login: { form: logInForm, other: signUpForm },
} as const;

/** Why the log-in page is shown, by the query. */
const reasons = [
  ["changed", "accounts.passwordChanged"],
  ["expired", "logIn.expired"],
] as const;

/** With `again` in the query, signed-in users see it too: to change the account or to prove who they are. */
function show(ctx: Ctx, name: keyof typeof forms): ShowForm {
  const { form, other } = forms[name];
  return (req, res, problems) => {
    const isGet = req.method !== "POST";
    const { next } = textsOf(isGet ? req.query : req.body);
    if (isGet && viewerOf(res) !== undefined && !("again" in req.query)) {
      res.redirect(303, safePath(next));
      return;
    }
    const { words } = res.locals;
    const reason = reasons.find(([asked]) => asked in req.query)?.[1];
    res.render(`accounts/${name}`, {
      title: words.t(`nav.${name}`),
      form: showForm(words, form, isGet ? { next } : req.body, problems),
      passkeyForm: presentPasskeyLogIn(relyingParty(ctx, req), safePath(next)),
      reason: reason && words.t(reason),
      otherUrl: withNext(other.action, safePath(next)),
    });
  };
}

function withNext(path: string, next: string, when?: "always"): string {
  if (next === "/" && when === undefined) return path;
  return `${path}?next=${encodeURIComponent(next)}`;
}
