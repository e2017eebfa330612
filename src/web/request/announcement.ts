import type { Request, Response } from "express";
import { presentAnnouncement } from "../layout/branding.ts";
import { viewerOf } from "./session.ts";

/** Cookie with the digest of the announcement that this browser has put away. */
const cookie = "announcement";
const cookieMilliseconds = 365 * 24 * 60 * 60 * 1000;

const inCookies = new RegExp(`(?:^|;\\s*)${cookie}=([0-9a-f]{16})(?:;|$)`);

/** Digest of the announcement that this browser has put away; empty if there is none. */
export function putAwayIn(req: Request): string {
  return inCookies.exec(req.headers.cookie ?? "")?.[1] ?? "";
}

/** The announcement of a page. On a site for members it may be meant for members only. */
export function announcementFor(req: Request, res: Response) {
  const { site } = res.locals;
  const mayRead = site.read === "public" || viewerOf(res) !== undefined;
  return mayRead ? presentAnnouncement(site, putAwayIn(req)) : undefined;
}

export function putAway(res: Response, digest: string): void {
  const options = { httpOnly: true, sameSite: "lax", secure: res.req.secure } as const;
  res.cookie(cookie, digest, { ...options, maxAge: cookieMilliseconds });
}
