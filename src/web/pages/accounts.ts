import { type Request, type Response, Router } from "express";
import type { Ctx } from "../../context.ts";
import type { Problems } from "../../domain/errors.ts";
import { prepareHome } from "../../domain/timelines/home.ts";
import { logIn } from "../../domain/users/log-in.ts";
import { foldName } from "../../domain/users/names.ts";
import { warmUpPasswords } from "../../domain/users/passwords.ts";
import { signUp } from "../../domain/users/sign-up.ts";
import { logInForm, signUpForm } from "../forms/accounts.ts";
import { readForm, showForm, textsOf } from "../forms/form.ts";
import { recoveryForm } from "../forms/rescue.ts";
import { safePath } from "../forms/safe-redirect.ts";
import { addressOf } from "../middleware/address.ts";
import { admissions } from "../middleware/admit.ts";
import { onRefusal, type ShowAgain } from "../middleware/errors.ts";
import { limitLogIns } from "../middleware/guesses.ts";
import { wordsOf } from "../middleware/language.ts";
import { knownBrowsers } from "../middleware/known-browser.ts";
import { limitSignUps } from "../middleware/limits.ts";
import { relyingParty } from "../middleware/relying-party.ts";
import { signIn, signOut, viewerOf } from "../middleware/session.ts";
import { presentPasskeyLogIn } from "../present/passkeys.ts";
import { logInCodePages } from "./log-in-code.ts";
import { passkeyPages } from "./passkeys.ts";

export function accountPages(ctx: Ctx, secret: string): Router {
  const router = Router();
  const browsers = knownBrowsers(secret);
  const logIns = limitLogIns(ctx, browsers);
  const signUps = limitSignUps(ctx);
  const admit = admissions(ctx, browsers);
  const showLogInAgain: ShowAgain = async (req, res, problems) =>
    showLogIn(ctx, req, res, req.body, problems);
  void warmUpPasswords(ctx.config.bcryptCost);

  router.get("/signup", (req, res) => showUnlessSignedIn(req, res, showSignUp));
  router.post(
    "/signup",
    onRefusal(async (req, res, problems) => showSignUp(res, req.body, problems)),
    async (req, res) => {
      const { next, ...person } = readForm(signUpForm, req.body);
      const user = await signUps(req, res, () => signUp(ctx, person, addressOf(req)));
      await prepareHome(ctx, user, "new");
      await signIn(ctx, req, { user, generation: "" });
      browsers.remember(req, res, foldName(person.name.trim()));
      res.redirect(303, `${recoveryForm.action}?next=${encodeURIComponent(next)}`);
    },
  );

  router.get("/login", (req, res) =>
    showUnlessSignedIn(req, res, (_res, values) => showLogIn(ctx, req, res, values)),
  );
  router.post("/login", onRefusal(showLogInAgain), async (req, res) => {
    const { next, ...credentials } = readForm(logInForm, req.body);
    const admission = await logIns.attempt(req, credentials.name, (asker) =>
      logIn(ctx, credentials, asker),
    );
    await admit.afterPassword(req, res, admission, next);
  });
  router.use(logInCodePages(ctx, { secret, admit, logIns }));
  router.use(passkeyPages(ctx, admit, showLogInAgain));

  router.post("/logout", async (req, res) => {
    await signOut(ctx, req, res);
    res.redirect(303, "/");
  });

  return router;
}

type ShowForm = (res: Response, values: unknown, problems?: Problems) => void;

/** With `again` in the query, signed-in users see it too: to change the account or to prove who they are. */
function showUnlessSignedIn(req: Request, res: Response, show: ShowForm): void {
  const { next } = textsOf(req.query);
  if (viewerOf(res) !== undefined && !("again" in req.query)) res.redirect(303, safePath(next));
  else show(res, { next });
}

function showSignUp(res: Response, values: unknown, problems: Problems = {}): void {
  const words = wordsOf(res);
  res.render("accounts/signup", {
    page: { title: `${words.t("nav.signup")} · Suzume`, path: "/signup" },
    form: showForm(words, signUpForm, values, problems),
    loginUrl: withNext("/login", values),
  });
}

/** Why the log-in page is shown, by the query. */
const reasons = [
  ["changed", "accounts.passwordChanged"],
  ["expired", "logIn.expired"],
] as const;

function showLogIn(
  ctx: Ctx,
  req: Request,
  res: Response,
  values: unknown,
  problems: Problems = {},
): void {
  const words = wordsOf(res);
  const { next } = textsOf(values);
  const reason = reasons.find(([name]) => name in req.query)?.[1];
  res.render("accounts/login", {
    page: { title: `${words.t("nav.login")} · Suzume`, path: "/login" },
    form: showForm(words, logInForm, values, problems),
    passkeyForm: presentPasskeyLogIn(relyingParty(ctx, req), safePath(next)),
    reason: reason && words.t(reason),
    signupUrl: withNext("/signup", values),
  });
}

function withNext(path: string, values: unknown): string {
  const next = safePath(textsOf(values)["next"]);
  return next === "/" ? path : `${path}?next=${encodeURIComponent(next)}`;
}
