import type { Request, Response } from "express";
import { LRUCache } from "lru-cache";
import type { TooMany } from "../../domain/errors.ts";
import { sentenceFor, waitOf } from "../forms/problems.ts";
import { addressOf } from "./address.ts";
import { wordsOf } from "./language.ts";

/** Refusals of one address that are shown as a page within a minute; a flood gets a line of text. */
const pagesAMinute = 10;
const minute = 60_000;
const addressesKept = 10_000;

/**
 * Whether one more refusal is worth a page for the address that asks. A page costs about as much as any
 * other, so that refusing a flood would keep others waiting; a line of text costs a tenth.
 */
export function patience(): (req: Request) => boolean {
  const shown = new LRUCache<string, number>({
    max: addressesKept,
    ttl: minute,
    noUpdateTTL: true,
  });
  return (req) => {
    const from = addressOf(req);
    const count = (shown.get(from) ?? 0) + 1;
    shown.set(from, count);
    return count <= pagesAMinute;
  };
}

export function answerBriefly(error: TooMany, res: Response): void {
  res.status(429).setHeader("Retry-After", error.retryAfter);
  res.setHeader("Cache-Control", "no-store");
  res.type("text/plain").send(`${sentenceFor(wordsOf(res), waitOf(error))}\n`);
}
