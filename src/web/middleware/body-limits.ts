import type { Request, Response } from "express";
import { TooMany, Unavailable } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import { addressOf } from "./address.ts";

/** Max bytes of bodies that this process reads at a time: in total and for one address. */
const most = { all: 96 * 1024 * 1024, address: 24 * 1024 * 1024 };
/** Max bytes of a form without files, in any format. */
export const formBytes = 100 * 1024;
/** Max texts in a composer's form. */
export const composerFields = 20;
/** Max bytes of these texts: each may be as long as a form. */
export const composerBytes = composerFields * formBytes;
/** Max bytes of a picture. */
export const pictureBytes = 5_000_000;
/** Max simultaneous uploads of pictures: they are kept in memory while they arrive. */
export const picturesAtOnce = { all: 20, user: 3 } as const;

let held = 0;
const heldBy = new Map<string, number>();

/** The files of a request, whichever way it was read. */
export function filesIn({ file, files }: Request): Express.Multer.File[] {
  if (Array.isArray(files)) return files;
  return file === undefined ? [] : [file];
}

/** An error as Express's body parser throws it. */
export function tooLarge(): Error {
  return Object.assign(new Error("too large"), { status: 413, type: "entity.too.large" });
}

/**
 * Call before reading a body of at most `atMost` bytes into memory. Reserves the bytes until the
 * request is answered, so memory stays bounded for any number of silent connections. Throws TooMany if
 * the address holds too much, Unavailable if all together do.
 */
export function reserveBytes(req: Request, res: Response, atMost: number): void {
  const declared = Math.min(Number(req.headers["content-length"] ?? atMost), atMost);
  const from = addressOf(req);
  const own = heldBy.get(from) ?? 0;
  if (own + declared > most.address) throw new TooMany("bodies", 10);
  if (held + declared > most.all) throw new Unavailable("too many bodies at once");
  if (res.closed) return;
  held += declared;
  heldBy.set(from, own + declared);
  res.once("close", () => {
    held -= declared;
    const left = (heldBy.get(from) ?? 0) - declared;
    if (left > 0) heldBy.set(from, left);
    else heldBy.delete(from);
  });
}

/** Throws a 413 error if Content-Length exceeds `atMost`. */
export function refuseLonger(req: Request, atMost: number): void {
  if (Number(req.headers["content-length"] ?? 0) > atMost) throw tooLarge();
}

/** Calls `onExcess` once if more than `atMost` bytes arrive: a chunked body does not tell its length. */
export function watchBytes(req: Request, atMost: number, onExcess: () => void): void {
  let arrived = 0;
  const count = (chunk: Buffer) => {
    arrived += chunk.length;
    if (arrived <= atMost) return;
    req.off("data", count);
    onExcess();
  };
  req.on("data", count);
}

/**
 * Limits the requests of one kind that this process works on at a time: of all users and of one. The
 * result counts a request until it is answered; it is false if the client has disconnected. Throws TooMany.
 */
export function limitAtOnce(what: string, { all, user }: { all: number; user: number }) {
  const running: UserId[] = [];
  return (id: UserId, res: Response): boolean => {
    // A closed response would be counted for ever.
    if (res.closed) return false;
    const own = running.filter((one) => one === id);
    if (running.length >= all || own.length >= user) throw new TooMany(what, 10);
    running.push(id);
    res.once("close", () => void running.splice(running.indexOf(id), 1));
    return true;
  };
}
