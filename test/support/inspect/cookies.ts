import type { Response } from "supertest";
import type { RawResponse } from "../world/serve.ts";

/** The cookies that an answer sets, with their attributes. */
export function cookiesIn(answer: Response | RawResponse): string[] {
  const header: unknown = answer.headers["set-cookie"];
  return Array.isArray(header) ? header.map(String) : [];
}

/** The session cookie of an answer, as a browser would send it back; "" if it sets none. */
export function sessionCookie(answer: Response | RawResponse): string {
  const cookie = cookiesIn(answer).find((one) => /^(__Host-)?suzume=/.test(one));
  return cookie?.split(";")[0] ?? "";
}

/** The session id in a session cookie. */
export function sessionIn(cookie: string): string {
  return /=s:([^.]+)\./.exec(decodeURIComponent(cookie))?.[1] ?? "";
}
