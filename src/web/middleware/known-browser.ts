import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Request, Response } from "express";

const yearMilliseconds = 365 * 24 * 60 * 60 * 1000;
/** Max accounts remembered per browser; the oldest is dropped first. */
const maxAccounts = 5;

export type KnownBrowsers = ReturnType<typeof knownBrowsers>;

/**
 * Browsers that have logged in to an account. Each keeps a cookie that proves this but does not log in.
 * Such a browser has its own limits for wrong passwords, see guesses.ts. A mark in the cookie is
 * `random.signature`; the signature covers the folded name, which is not part of the mark.
 */
export function knownBrowsers(secret: string) {
  const sign = (name: string, random: string) =>
    createHmac("sha256", secret).update(`known browser\0${name}\0${random}`).digest("base64url");
  const markFor = (req: Request, name: string) =>
    marksOf(req).find((mark) => {
      const [random = "", signature = ""] = mark.split(".");
      return isEqual(signature, sign(name, random));
    });
  return {
    /** Key under which the browser is counted. Undefined if it has never logged in to that account. */
    known: (req: Request, name: string) => markFor(req, name)?.split(".")[0],
    /** Called after a log-in. */
    remember(req: Request, res: Response, name: string) {
      const random = randomBytes(12).toString("base64url");
      const own = markFor(req, name) ?? `${random}.${sign(name, random)}`;
      const others = marksOf(req).filter((mark) => mark !== own);
      const options = { httpOnly: true, sameSite: "lax", path: "/", secure: req.secure } as const;
      res.cookie(cookieName(req), [own, ...others].slice(0, maxAccounts).join("~"), {
        ...options,
        maxAge: yearMilliseconds,
      });
    },
  };
}

function cookieName({ secure }: Request): string {
  return secure ? "__Host-suzume-known" : "suzume-known";
}

function marksOf(req: Request): string[] {
  const cookie = (req.headers.cookie ?? "")
    .split(/; */)
    .find((pair) => pair.startsWith(`${cookieName(req)}=`));
  const marks = cookie?.slice(cookie.indexOf("=") + 1).split("~") ?? [];
  return marks.filter((mark) => /^[\w-]{16}\.[\w-]{43}$/.test(mark)).slice(0, maxAccounts);
}

function isEqual(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
