import type { Request, Response } from "express";
import { LRUCache } from "lru-cache";
import type { TooMany } from "../../domain/errors.ts";
import { sentenceFor, waitOf } from "../layout/form.ts";
import { addressOf } from "./address.ts";
import { viewerOf } from "./session.ts";

/** Max refusals per minute and user, or address if signed out, that are shown as a page; then a line of text. */
const pagesAMinute = 10;
const minute = 60_000;
const kept = 10_000;

/**
 * Decides whether a refusal is shown as a page. A page costs as much as any other, so refusing a flood
 * would delay other clients; a line of text costs a tenth.
 */
export function limitErrorPages(): (req: Request, res: Response) => boolean {
  const shown = new LRUCache<string, number>({
    max: kept,
    ttl: minute,
    noUpdateTTL: true,
  });
  return (req, res) => {
    const { id } = viewerOf(res) ?? {};
    const from = id === undefined ? addressOf(req) : `user ${id}`;
    const count = (shown.get(from) ?? 0) + 1;
    shown.set(from, count);
    return count <= pagesAMinute;
  };
}

export function answerBriefly(error: TooMany, res: Response): void {
  res.status(429).setHeader("Retry-After", error.retryAfter);
  res.setHeader("Cache-Control", "no-store");
  res.type("text/plain").send(`${sentenceFor(res.locals.words, waitOf(error))}\n`);
}
