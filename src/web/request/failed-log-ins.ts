import type { Request, Response } from "express";
import type { Ctx } from "../../context.ts";
import { Invalid, type Problem } from "../../domain/errors.ts";
import { memo } from "../../domain/memo.ts";
import type { UserId } from "../../domain/ids.ts";
import { type Limiter, limiterOf, tooMany } from "../../domain/limiter.ts";
import type { Place } from "../../domain/concurrency-limit.ts";
import { type Counter, networkOf } from "../../domain/users/payer.ts";
import { findUserByName, foldName, type User } from "../../domain/users/store.ts";
import { addressOf, widestNetworkOf } from "./address.ts";
import { createHmac, randomBytes } from "node:crypto";
import { isSameSecret } from "../../domain/secrets.ts";
import { cookieIn, hostCookie, setCookie } from "./session.ts";

/**
 * Attempts to log in: counts `work` if it throws Invalid for a wrong password. Other errors, such as
 * outages, do not count. Throws TooMany after too many wrong passwords. Attempts under way in this
 * process count until they end, so parallel guesses have no advantage.
 *
 * A browser that has logged in to the account with its present password has a counter of its own, and all of these
 * together another. So attackers elsewhere cannot lock the owner out, no matter how many addresses they use. New browsers
 * of the owner are shut out by attackers in five networks, or in their own.
 */
export function limitLogIns(ctx: Ctx, browsers: KnownBrowsers) {
  return async <Result>(req: Request, name: string, work: (place: Place) => Promise<Result>) => {
    const folded = foldName(name.trim().slice(0, 64));
    const user = browsers.hasMarks(req) ? await findUserByName(ctx, folded) : undefined;
    const browser = user && browsers.known(req, { name: folded, generation: user.generation });
    const from = addressOf(req);
    const address = networkOf(ctx, from);
    // Known browsers do not wait behind a flood of other requests.
    const place = { queue: browser === undefined ? "check" : "known", client: from };
    // The address comes first: once it is refused, further names create no keys.
    const counters: Counter[] =
      browser === undefined
        ? [
            [limiterOf(ctx, "logIns:address"), address],
            [limiterOf(ctx, "logIns:account"), `${address}:${folded}`],
            [limiterOf(ctx, "logIns:network"), `${widestNetworkOf(ctx, req)}:${folded}`],
            [limiterOf(ctx, "logIns:name"), folded],
          ]
        : [
            [limiterOf(ctx, "logIns:browser"), browser],
            [limiterOf(ctx, "logIns:knownBrowsers"), folded],
          ];
    return await attempt(counters, () => work(place));
  };
}

export type AttemptLogIn = ReturnType<typeof limitLogIns>;

/** The same for passwords and codes of signed-in users, counted by user: the session may be stolen. */
export function limitPasswordGuesses(ctx: Ctx) {
  return async <Result>(user: UserId, work: () => Promise<Result>): Promise<Result> =>
    await attempt([[limiterOf(ctx, "logIns:signedIn"), user]], work);
}

/** Number of attempts by limiter and key whose result is not known yet. */
const underWayBy = memo((_limiter: Limiter) => new Map<string, number>());

async function attempt<Result>(counters: Counter[], work: () => Promise<Result>): Promise<Result> {
  const looks = await Promise.all(counters.map(([limiter, who]) => limiter.look(who)));
  const spent = looks.find(({ left }, nth) => left <= open(counters[nth] as Counter));
  if (spent !== undefined) throw tooMany("logIns", spent);
  note(counters, 1);
  try {
    return await work();
  } catch (error) {
    if (isWrongGuess(error)) await count(counters);
    throw error;
  } finally {
    note(counters, -1);
  }
}

/** Counts one after the other: once the address is refused, further names create no keys. */
async function count(counters: Counter[]): Promise<void> {
  for (const [limiter, who] of counters) {
    const state = await limiter.take(who);
    if (state.refused) throw tooMany("logIns", state);
  }
}

function open([limiter, who]: Counter): number {
  return underWayBy(limiter).get(who) ?? 0;
}

function note(counters: Counter[], more: 1 | -1): void {
  for (const [limiter, who] of counters) {
    const attempts = underWayBy(limiter);
    const now = (attempts.get(who) ?? 0) + more;
    if (now > 0) attempts.set(who, now);
    else attempts.delete(who);
  }
}

const wrongGuesses = new Set<Problem>(["credentials.wrong", "password.wrong", "factor.wrong"]);

/** A new password that is too short, for example, says nothing about the current one. */
function isWrongGuess(error: unknown): boolean {
  if (!(error instanceof Invalid)) return false;
  return Object.values(error.problems).some((problem) => wrongGuesses.has(problem));
}

/** Max accounts remembered per browser; the oldest is dropped first. */
const maxAccounts = 5;
const cookieName = hostCookie("suzume-known");

export type KnownBrowsers = ReturnType<typeof knownBrowsers>;

/** `name` is folded. */
type Account = Pick<User, "name" | "generation">;

/**
 * Browsers that have logged in to an account. Each keeps a cookie that proves this but does not log in. Such a browser
 * has its own limits for wrong passwords. A mark in the cookie is `random.signature`; the signature covers the folded
 * name and the generation, which are not part of the mark. So a new password ends all marks.
 */
export function knownBrowsers(secret: string) {
  const sign = ({ name, generation }: Account, random: string) =>
    createHmac("sha256", secret)
      .update(`known browser\0${name}\0${generation}\0${random}`)
      .digest("base64url");
  const markFor = (req: Request, account: Account) =>
    marksOf(req).find((mark) => {
      const [random = "", signature = ""] = mark.split(".");
      return isSameSecret(signature, sign(account, random));
    });
  return {
    /** False for a browser that is known to no account. */
    hasMarks: (req: Request) => marksOf(req).length > 0,
    /** Key under which the browser is counted. Undefined if it has not logged in to that account with its password. */
    known: (req: Request, account: Account) => markFor(req, account)?.split(".")[0],
    /** Called after a log-in. */
    remember(req: Request, res: Response, account: Account) {
      const random = randomBytes(12).toString("base64url");
      const ownMark = markFor(req, account) ?? `${random}.${sign(account, random)}`;
      const others = marksOf(req).filter((mark) => mark !== ownMark);
      setCookie(res, cookieName(req), [ownMark, ...others].slice(0, maxAccounts).join("~"));
    },
  };
}

function marksOf(req: Request): string[] {
  const marks = cookieIn(req, cookieName(req))?.split("~") ?? [];
  return marks.filter((mark) => /^[\w-]{16}\.[\w-]{43}$/.test(mark)).slice(0, maxAccounts);
}
