import type { Request, RequestHandler, Response } from "express";
import type { Ctx } from "../../context.ts";
import { Invalid, required, type Problems } from "../../domain/errors.ts";
import type { RelyingParty } from "../../domain/factors/ceremonies.ts";
import { listPasskeys } from "../../domain/factors/passkeys.ts";
import { type Proof, proveAgain } from "../../domain/factors/second-factor.ts";
import { findTotp, totpSeal } from "../../domain/factors/codes.ts";
import type { User } from "../../domain/users/store.ts";
import { readForm, showForm, textsOf } from "../layout/form.ts";
import { siteUrl } from "../server/send-public.ts";
import { confirmForm, confirmPath, readPasskeyAnswer } from "../site/sign-in/form.ts";
import { limitPasswordGuesses } from "./failed-log-ins.ts";
import { requireReader, requireViewer } from "./reader.ts";
import { onRefusal } from "./refusals.ts";
import { confirmSession, isConfirmed } from "./session.ts";

/** What asks users to prove their identity again, before dangerous acts. */
export function confirmation(ctx: Ctx, secret: string) {
  const seal = totpSeal(secret);
  const attempt = limitPasswordGuesses(ctx);
  const askAgain = onRefusal((req, res, problems) =>
    askToConfirm(ctx, req, res, { action: req.originalUrl, problems }),
  );
  return { first, isProven, check };

  /**
   * Lets a request pass if the user has proved their identity in the last ten minutes. Else asks for a proof: a GET
   * leads to /prove and from there to `back`, or to itself. The answer to a POST is a page with all its fields, which
   * are sent again together with the proof.
   */
  function first(back?: string): RequestHandler {
    return async (req, res, next) => {
      if (await isProven(req, res, back)) next();
    };
  }

  /** Asks for a proof inside a handler: false if the request was answered with the question. Throws Invalid, TooMany. */
  async function isProven(req: Request, res: Response, back?: string): Promise<boolean> {
    requireViewer(res);
    if (isConfirmed(ctx, req)) return true;
    const proof = confirmForm.secrets.some((name) => textsOf(req.body)[name] !== undefined);
    if (req.method === "POST" && proof) {
      const { showAgain } = res.locals;
      askAgain(req, res, () => {});
      await check(req, res);
      res.locals.showAgain = showAgain;
      return true;
    }
    if (req.method !== "POST") res.redirect(303, confirmPath(back ?? req.originalUrl));
    else await askToConfirm(ctx, req, res.status(403), { action: req.originalUrl });
    return false;
  }

  /** Checks the proof in the body and notes it in the session. Throws Invalid, TooMany. */
  async function check(req: Request, res: Response): Promise<void> {
    const viewer = requireViewer(res);
    const proof = readProof(req);
    await attempt(viewer.id, () => proveAgain(ctx, seal, viewer, proof));
    await confirmSession(ctx, req);
  }

  /** Throws Invalid. */
  function readProof(req: Request): Proof {
    const form = readForm(confirmForm, req.body);
    if (form.confirm_passkey !== undefined) {
      const passkey = readPasskeyAnswer(form.confirm_passkey);
      return { passkey, site: requireRelyingParty(ctx, req) };
    }
    if (form.confirm_code !== undefined) return { code: form.confirm_code };
    if (form.confirm_password === undefined)
      throw new Invalid({ confirm_password: "field.missing" });
    return { password: form.confirm_password };
  }
}

/** Shows the page that asks for a proof. Its forms send the fields of the request again, to `action`. */
export async function askToConfirm(
  ctx: Ctx,
  req: Request,
  res: Response,
  { action, problems = {} }: { action: string; problems?: Problems },
): Promise<void> {
  const { viewer, words } = requireReader(res);
  const ways = await otherWays(ctx, viewer);
  const sent: unknown = req.method === "POST" ? req.body : req.query;
  const hidden = Object.entries(sent ?? {}).flatMap(([name, value]) => {
    if ((confirmForm.secrets as readonly string[]).includes(name)) return [];
    // Checkboxes of one name are a list.
    const texts = [value].flat().filter((one) => typeof one === "string");
    return texts.map((text) => ({ name, value: text }));
  });
  res.render("accounts/prove", {
    title: words.t("confirm.title"),
    form: { ...showForm(words, confirmForm, {}, problems), action, hidden },
    withPasskey: ways.hasPasskey && relyingParty(ctx, req) !== undefined,
    withCode: ways.hasTotp,
  });
}

async function otherWays(ctx: Ctx, { id }: User) {
  const [passkeys, totp] = await Promise.all([listPasskeys(ctx, id), findTotp(ctx, id)]);
  return { hasPasskey: passkeys.length > 0, hasTotp: totp !== undefined };
}

/**
 * For forms that ask for the password each time. Undefined instead of the typed password if the user has confirmed
 * on /prove in the last ten minutes; a log-in just now is not enough. Throws Invalid without either.
 */
export function passwordOrConfirmed(
  ctx: Ctx,
  req: Request,
  { field, typed }: { field: string; typed: string | undefined },
): string | undefined {
  if (isConfirmed(ctx, req, "again")) return undefined;
  if (typed === undefined) throw new Invalid({ [field]: "field.missing" });
  return typed;
}

/** Whether such a form asks for the password, and where users with another way to confirm may go instead. */
export async function passwordOrAnotherWay(ctx: Ctx, req: Request, user: User, action: string) {
  if (isConfirmed(ctx, req, "again")) return { asksPassword: false };
  const { hasPasskey, hasTotp } = await otherWays(ctx, user);
  const anotherWay = hasPasskey || hasTotp ? `${confirmPath(action)}&again` : undefined;
  return { asksPassword: true, anotherWay };
}

/**
 * This site for passkeys, by BASE_URL; without it (in development) by the request's own host, on localhost only.
 * Undefined where browsers have no passkeys: on an IP address.
 */
export function relyingParty(ctx: Ctx, req: Request): RelyingParty | undefined {
  const address = siteUrl(ctx, req);
  if (!URL.canParse(address)) return undefined;
  const { hostname: id, origin } = new URL(address);
  const isTrusted = ctx.config.baseUrl !== undefined || /^([^.]+\.)*localhost$/.test(id);
  const isAddress = /^\[|^[\d.]+$/.test(id);
  // Browsers show the name beside the passkey.
  const name = req.res?.locals.site.name ?? "";
  return isTrusted && !isAddress ? { id, origin, name } : undefined;
}

/** Throws NotFound where there are no passkeys. */
export function requireRelyingParty(ctx: Ctx, req: Request): RelyingParty {
  return required(relyingParty(ctx, req), "passkeys");
}
