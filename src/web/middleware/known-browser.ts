import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Request, Response } from "express";

const yearMilliseconds = 365 * 24 * 60 * 60 * 1000;
/** Max accounts remembered per browser; the oldest is dropped first. */
const maxAccounts = 5;

/**
 * Browsers that have logged in to an account. Each keeps a cookie that proves this but does not log in.
 * Such a browser has its own limits for wrong passwords, see guesses.ts.
 */
export interface KnownBrowsers {
  /**
   * Key under which the browser is counted for this folded name. Undefined if it has never logged in to
   * that account.
   */
  known(req: Request, name: string): string | undefined;
  /** Called after a log-in. */
  remember(req: Request, res: Response, name: string): void;
}

/** A mark is `random.signature`. The signature covers the name, which is not part of the mark. */
export function knownBrowsers(secret: string): KnownBrowsers {
  const sign = (name: string, random: string) =>
    createHmac("sha256", secret).update(`known browser\0${name}\0${random}`).digest("base64url");
  const isFor = (mark: string, name: string) => {
    const [random = "", signature = ""] = mark.split(".");
    return isEqual(signature, sign(name, random));
  };
  return {
    known: (req, name) =>
      marksOf(req)
        .find((mark) => isFor(mark, name))
        ?.split(".")[0],
    remember(req, res, name) {
      const others = marksOf(req).filter((mark) => !isFor(mark, name));
      const own = marksOf(req).find((mark) => isFor(mark, name)) ?? fresh(name);
      const options = { httpOnly: true, sameSite: "lax", path: "/", secure: req.secure } as const;
      res.cookie(cookieName(req), [own, ...others].slice(0, maxAccounts).join("~"), {
        ...options,
        maxAge: yearMilliseconds,
      });
    },
  };

  function fresh(name: string): string {
    const random = randomBytes(12).toString("base64url");
    return `${random}.${sign(name, random)}`;
  }
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
