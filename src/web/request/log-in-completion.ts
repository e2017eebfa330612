import type { Request, Response } from "express";
import type { Ctx } from "../../context.ts";
import { promiseNotice } from "../../domain/accounts/mail.ts";
import {
  awaitSecondFactor,
  findSecondFactor,
  secondFactorSeconds,
} from "../../domain/factors/second-factor.ts";
import { findTotp } from "../../domain/factors/codes.ts";
import { prepareHome } from "../../domain/timelines/home.ts";
import type { VerifiedLogIn } from "../../domain/users/log-in.ts";
import { findUser, foldName, type User } from "../../domain/users/store.ts";
import { logInCodeForm } from "../site/sign-in/form.ts";
import { deviceName } from "../site/settings/view.ts";
import type { KnownBrowsers } from "./failed-log-ins.ts";
import { cookieIn, hostCookie, setCookie, signIn } from "./session.ts";

/** Max characters of the address to which a log-in leads. */
const longestNext = 4000;
/** Has the token of a log-in that waits for the second factor. */
const cookieName = hostCookie("suzume-log-in");

export type LogInCompletion = ReturnType<typeof logInCompletion>;

/** The end of every log-in. Both redirect. */
export function logInCompletion(ctx: Ctx, browsers: KnownBrowsers) {
  return { afterPassword, complete };

  /** After the password: opens a session, or asks for the second factor if the account has one. */
  async function afterPassword(req: Request, res: Response, logIn: VerifiedLogIn, next: string) {
    if ((await findTotp(ctx, logIn.user)) === undefined)
      return await complete(req, res, logIn, next);
    const token = await awaitSecondFactor(ctx, logIn, next.length > longestNext ? "/" : next);
    setCookie(res, cookieName(req), token, secondFactorSeconds);
    res.redirect(303, logInCodeForm.action);
  }

  /** After all factors. Throws Invalid if the log-in is no longer valid. */
  async function complete(req: Request, res: Response, logIn: VerifiedLogIn, next: string) {
    await prepareHome(ctx, logIn.user, "returning");
    await signIn(ctx, req, logIn);
    const user = await findUser(ctx, logIn.user);
    if (user !== undefined) await remember(req, res, user, logIn);
    if (tokenOf(req) !== "") setCookie(res, cookieName(req), undefined);
    res.redirect(303, next);
  }

  /** Sends a notice if the browser has never logged in to the account. */
  async function remember(req: Request, res: Response, user: User, { generation }: VerifiedLogIn) {
    // Not that of the user: the password may have changed since it was typed.
    const account = { name: foldName(user.name), generation };
    const device = deviceName(res.locals.words, req.get("user-agent") ?? "");
    if (browsers.known(req, account) === undefined)
      await promiseNotice(ctx, { kind: "signIn", user: user.id, at: ctx.now(), device });
    browsers.remember(req, res, account);
  }
}

/** The log-in of this browser that waits for the second factor. */
export async function waitingLogIn(ctx: Ctx, req: Request) {
  return await findSecondFactor(ctx, tokenOf(req));
}

function tokenOf(req: Request): string {
  return cookieIn(req, cookieName(req)) ?? "";
}
