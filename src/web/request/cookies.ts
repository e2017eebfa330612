import type { Request } from "express";

/** Value of a cookie as it was sent; undefined if the request has none of that name. */
export function cookieIn({ headers: { cookie = "" } }: Request, name: string): string | undefined {
  const start = `${name}=`;
  return cookie
    .split(/;\s*/)
    .find((pair) => pair.startsWith(start))
    ?.slice(start.length);
}

/** Options of all cookies: scripts do not see them, and a form of another site is sent without them. */
export function cookieOptions({ secure }: { secure: boolean }) {
  return { httpOnly: true, sameSite: "lax", path: "/", secure } as const;
}

/** Name of a cookie that signs in: on https it is bound to this host (__Host-), which browsers refuse on http. */
export function hostCookie(name: string, { secure }: { secure: boolean }): string {
  return secure ? `__Host-${name}` : name;
}
