import type { Request, Response } from "express";
import { TooMany } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";

/** Max bytes of a form without files, in any format. */
export const formBytes = 100 * 1024;
/** Max texts in a composer's form. */
export const composerFields = 20;
/** Max bytes of these texts: each may be as long as a form. */
export const composerBytes = composerFields * formBytes;
/** Max bytes of a picture. */
export const pictureBytes = 5_000_000;
/** Max simultaneous uploads of pictures by one user. */
export const picturesAtOnce = 3;

/** An error as Express's body parser throws it. */
export function tooLarge(): Error {
  return Object.assign(new Error("too large"), { status: 413, type: "entity.too.large" });
}

/** Throws a 413 error if Content-Length exceeds `atMost`. */
export function refuseLonger(req: Request, atMost: number): void {
  if (Number(req.headers["content-length"] ?? 0) > atMost) throw tooLarge();
}

/**
 * Limits the requests of one kind that this process works on at a time for one user. The result counts a
 * request until it is answered; it is false if the client has disconnected. Throws TooMany.
 */
export function limitAtOnce(what: string, most: number) {
  const running: UserId[] = [];
  return (id: UserId, res: Response): boolean => {
    // A closed response would be counted for ever.
    if (res.closed) return false;
    if (running.filter((one) => one === id).length >= most) throw new TooMany(what, 10);
    running.push(id);
    res.once("close", () => void running.splice(running.indexOf(id), 1));
    return true;
  };
}
