import type { Request, RequestHandler, Response } from "express";
import { LRUCache } from "lru-cache";
import type { Ctx } from "../../context.ts";
import type { TooMany } from "../../domain/errors.ts";
import { limiterOf, tooMany } from "../../domain/limiter.ts";
import { withoutCaching } from "../../domain/scope.ts";
import { networkOf } from "../../domain/users/payer.ts";
import { sentenceFor, waitOf } from "../layout/form.ts";
import { addressOf } from "./address.ts";
import { type CountingHandler, afterOutage, limitHeaders } from "./limits.ts";
import { viewerOf } from "./session.ts";

/**
 * Counts all requests of one app of a user, or of one address without a user, and sets the rate limit headers.
 * Throws TooMany.
 */
export function limitRequests(ctx: Ctx): CountingHandler {
  const handler: RequestHandler = async (req, res, next) => {
    const user = viewerOf(res);
    const limiter = limiterOf(ctx, user === undefined ? "reads:address" : "reads:account");
    // Kept with the page, so without the request and the response.
    const app = user && `${user.id}:${res.locals.token?.app}`;
    const whoOf = (request: Request) => app ?? networkOf(ctx, addressOf(request));
    const who = whoOf(req);
    afterOutage(ctx, res, async () => limiter.giveBack(who));
    const taken = await withoutCaching(async () => limiter.takeAhead(who));
    res.setHeaders(limitHeaders(ctx, "reads", taken));
    // For an answer that is sent again to the same app or to an address. Undefined: it must not be sent.
    res.locals.countRepeat = async (again) => {
      const repeat = await limiter.takeAhead(whoOf(again));
      return repeat.refused ? undefined : limitHeaders(ctx, "reads", repeat);
    };
    next(taken.refused ? tooMany("reads", taken) : undefined);
  };
  return Object.assign(handler, { counts: "request" as const });
}

/** Max refusals per minute and user, or address if signed out, that are shown as a page; then a line of text. */
const pagesAMinute = 10;
const minute = 60_000;
const addressesKept = 10_000;

/**
 * Decides whether a refusal is shown as a page. A page costs as much as any other, so refusing a flood
 * would delay other clients; a line of text costs a tenth.
 */
export function limitErrorPages(): (req: Request, res: Response) => boolean {
  const shown = new LRUCache<string, number>({
    max: addressesKept,
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
