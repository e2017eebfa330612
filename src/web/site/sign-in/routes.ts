import type { Request, Response, Router } from "express";
import type { Ctx } from "../../../context.ts";
import { refuseSignUpFrom } from "../../../domain/blocks.ts";
import { findRefusal, join } from "../../../domain/community/join.ts";
import { findInvitation } from "../../../domain/community/invitations.ts";
import { Forbidden, type Problems } from "../../../domain/errors.ts";
import { askForNewPasskey, askForPasskey } from "../../../domain/factors/ceremonies.ts";
import { logInByPasskey } from "../../../domain/factors/second-factor.ts";
import { readSite } from "../../../domain/site/settings.ts";
import { prepareHome } from "../../../domain/timelines/home.ts";
import { logIn } from "../../../domain/users/log-in.ts";
import { makeDecoy } from "../../../domain/users/passwords.ts";
import { findUser, findUserByName, foldName } from "../../../domain/users/store.ts";
import { presentRules } from "../../layout/branding.ts";
import { readForm, safePath, showForm, textsOf, withNext } from "../../layout/form.ts";
import { addressOf } from "../../request/address.ts";
import { logInCompletion, type LogInCompletion } from "../../request/log-in-completion.ts";
import { knownBrowsers, limitLogIns } from "../../request/failed-log-ins.ts";
import { limitSignUps, limitVerb } from "../../request/limits.ts";
import { formPage, onRefusal, type ShowForm } from "../../request/refusals.ts";
import { relyingParty, requireRelyingParty } from "../../request/confirmation.ts";
import { requireViewer, viewerOf } from "../../request/reader.ts";
import {
  dropCookie,
  hasEndedSession,
  isConfirmed,
  signIn,
  signOut,
} from "../../request/session.ts";
import { logInCodePages } from "./code-routes.ts";
import {
  logInForm,
  passkeyLogInForm,
  passkeyOptionsForm,
  readPasskeyAnswer,
  signUpForm,
} from "./form.ts";
import { stepUrl } from "./view.ts";

export function accountPages(router: Router, ctx: Ctx, secret: string): void {
  const browsers = knownBrowsers(secret);
  const attemptLogIn = limitLogIns(ctx, browsers);
  const countSignUp = limitSignUps(ctx);
  const completion = logInCompletion(ctx, browsers);
  const askToLogIn: ShowForm = (req, res, problems) => showLogIn(ctx, req, res, problems);
  void makeDecoy(ctx.config.bcryptCost);

  formPage(router, "/signup", {
    async show(req, res, problems) {
      if (goesOn(req, res)) return;
      const typed = typedIn(req, ["next", "invitation"]);
      const { words } = res.locals;
      // Read anew: a request that writes may have older settings.
      const site = await readSite(ctx);
      const invitation = await findInvitation(ctx, textsOf(typed)["invitation"] ?? "");
      const isUninvited = invitation === undefined;
      const inviter = invitation?.by && (await findUser(ctx, invitation.by));
      res.render("accounts/signup", {
        title: words.t("nav.signup"),
        rules: presentRules(site),
        invitedBy: inviter?.name,
        asksReason: site.signUp === "approve" && isUninvited,
        isClosed: site.signUp === "closed",
        needsInvitation: site.signUp === "invite" && isUninvited,
        form: showForm(words, signUpForm, typed, problems),
        otherUrl: withNext(logInForm.action, safePath(textsOf(typed)["next"])),
      });
    },
    async submit(req, res) {
      const { next, ...input } = readForm(signUpForm, req.body);
      const joined = await countSignUp(req, res, async () => {
        await refuseSignUpFrom(ctx, req.ip ?? "");
        return await join(ctx, input, addressOf(req));
      });
      if (joined.isWaiting) return res.redirect(303, waitingPath);
      await prepareHome(ctx, joined.user, "new");
      await signIn(ctx, req, { user: joined.user, generation: "" });
      browsers.remember(req, res, { name: foldName(input.name.trim()), generation: "" });
      if (next !== "/") return res.redirect(303, next);
      const inviter = joined.invitedBy && (await findUser(ctx, joined.invitedBy));
      res.redirect(303, stepUrl(0, inviter?.name));
    },
  });
  router.get(waitingPath, (_req, res) => {
    res.render("accounts/waiting", { title: res.locals.words.t("joining.waiting") });
  });

  formPage(router, "/login", {
    show: askToLogIn,
    async submit(req, res) {
      const { next, ...credentials } = readForm(logInForm, req.body);
      const verified = await attemptLogIn(req, credentials.name, (place) =>
        logIn(ctx, credentials, place),
      );
      await completion.afterPassword(req, res, verified, next);
    },
  });
  logInCodePages(router, ctx, secret, completion, attemptLogIn);
  passkeyPages(router, ctx, completion, askToLogIn);

  router.post("/logout", async (req, res) => {
    await signOut(ctx, req, res);
    res.redirect(303, "/");
  });
}

const waitingPath = "/signup/waiting";

/** Why the log-in page is shown, by the query. */
const reasons = [
  ["changed", "accounts.passwordChanged"],
  ["expired", "logIn.expired"],
] as const;

async function showLogIn(ctx: Ctx, req: Request, res: Response, problems: Problems): Promise<void> {
  if (goesOn(req, res)) return;
  const typed = typedIn(req, ["next"]);
  const next = safePath(textsOf(typed)["next"]);
  const { words } = res.locals;
  // This problem tells that the password was right.
  const isRefused = problems["form"] === "account.refused";
  const isEnded = req.method === "GET" && hasEndedSession(req);
  if (isEnded) dropCookie(req, res);
  const ended = isEnded ? ("logIn.ended" as const) : undefined;
  const reason = reasons.find(([name]) => name in req.query)?.[1] ?? ended;
  res.render("accounts/login", {
    title: words.t("nav.login"),
    form: showForm(words, logInForm, typed, problems),
    passkeyForm: relyingParty(ctx, req) && showForm(words, passkeyLogInForm, { next }),
    reason: reason && words.t(reason),
    note: isRefused ? await noteTo(ctx, textsOf(typed)["name"] ?? "") : undefined,
    otherUrl: withNext(signUpForm.action, next),
  });
}

/** What the admin wrote to a declined applicant. */
async function noteTo(ctx: Ctx, name: string): Promise<string | undefined> {
  const user = await findUserByName(ctx, name.trim());
  return user && (await findRefusal(ctx, user.id));
}

/** Sends signed-in users on, unless `again` is in the query: to change the account or to prove who they are. */
function goesOn(req: Request, res: Response): boolean {
  if (req.method === "POST" || viewerOf(res) === undefined || "again" in req.query) return false;
  res.redirect(303, safePath(textsOf(req.query)["next"]));
  return true;
}

/** What was typed, or on a fresh form the fields `given` in the address. */
function typedIn(req: Request, given: readonly string[]): unknown {
  if (req.method === "POST") return req.body;
  const query = textsOf(req.query);
  return Object.fromEntries(given.map((name) => [name, query[name]]));
}

/** Log-in with a passkey, and what the site's script asks passkeys for. `showRefusal` shows a refused log-in. */
function passkeyPages(
  router: Router,
  ctx: Ctx,
  completion: LogInCompletion,
  showRefusal: ShowForm,
): void {
  const limited = limitVerb(ctx, "askForPasskey");
  router.post(passkeyOptionsForm.action, limited, async (req, res) => {
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

  router.post(passkeyLogInForm.action, onRefusal(showRefusal), limited, async (req, res) => {
    const { passkey, next } = readForm(passkeyLogInForm, req.body);
    const proof = { passkey: readPasskeyAnswer(passkey), site: requireRelyingParty(ctx, req) };
    await completion.complete(req, res, await logInByPasskey(ctx, proof), next);
  });
}
