import type { Request, Response } from "express";
import { TooMany, Unavailable } from "../../domain/errors.ts";
import { addressOf } from "./address.ts";

/** Max bytes of bodies that this process reads at a time: in total and for one address. */
const most = { all: 96 * 1024 * 1024, address: 24 * 1024 * 1024 };
/** Max bytes of a form without files, in any format. */
export const formBytes = 100 * 1024;

let held = 0;
const heldBy = new Map<string, number>();

/** An error as Express's body parser throws it. */
export function tooLarge(): Error {
  return Object.assign(new Error("too large"), { status: 413, type: "entity.too.large" });
}

/**
 * Call before reading a body of at most `atMost` bytes into memory. Reserves the bytes until the
 * request is answered, so memory stays bounded for any number of silent connections. Throws TooMany if
 * the address holds too much, Unavailable if all together do.
 */
export function takeRoom(req: Request, res: Response, atMost: number): void {
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
