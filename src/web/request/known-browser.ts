import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Request, Response } from "express";
import type { User } from "../../domain/users/store.ts";
import { cookieIn, cookieOptions, hostCookie } from "./cookies.ts";

const yearMilliseconds = 365 * 24 * 60 * 60 * 1000;
/** Max accounts remembered per browser; the oldest is dropped first. */
const maxAccounts = 5;

export type KnownBrowsers = ReturnType<typeof knownBrowsers>;

/** `name` is folded. */
type Account = Pick<User, "name" | "generation">;

/**
 * Browsers that have logged in to an account. Each keeps a cookie that proves this but does not log in.
 * Such a browser has its own limits for wrong passwords, see guesses.ts. A mark in the cookie is
 * `random.signature`; the signature covers the folded name and the generation, which are not part of the mark. So a new
 * password ends all marks.
 */
export function knownBrowsers(secret: string) {
  const sign = ({ name, generation }: Account, random: string) =>
    createHmac("sha256", secret)
      .update(`known browser\0${name}\0${generation}\0${random}`)
      .digest("base64url");
  const markFor = (req: Request, account: Account) =>
    marksOf(req).find((mark) => {
      const [random = "", signature = ""] = mark.split(".");
      return isEqual(signature, sign(account, random));
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
      res.cookie(cookieName(req), [ownMark, ...others].slice(0, maxAccounts).join("~"), {
        ...cookieOptions(req),
        maxAge: yearMilliseconds,
      });
    },
  };
}

function cookieName(req: Request): string {
  return hostCookie("suzume-known", req);
}

function marksOf(req: Request): string[] {
  const marks = cookieIn(req, cookieName(req))?.split("~") ?? [];
  return marks.filter((mark) => /^[\w-]{16}\.[\w-]{43}$/.test(mark)).slice(0, maxAccounts);
}

function isEqual(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
