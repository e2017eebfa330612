import type { Request, RequestHandler } from "express";
import type { Ctx } from "../../context.ts";
import { tooMany } from "../../domain/limiter.ts";
import { withoutCaching } from "../../domain/scope.ts";
import { addressOf } from "./address.ts";
import { limitHeaders } from "./limit-headers.ts";
import { afterOutage, countersOf, type CountingHandler, limiterFor } from "./limits.ts";
import { viewerOf } from "./session.ts";

/**
 * Counts all requests of one app of a user, or of one address without a user, and sets the rate limit headers.
 * Throws TooMany.
 */
export function limitRequests(ctx: Ctx): CountingHandler {
  const handler: RequestHandler = async (req, res, next) => {
    const [counter] = countersOf(ctx, "requests", req, res).each;
    if (counter === undefined) return next();
    const [limiter, holder] = counter;
    const user = viewerOf(res);
    const who = user === undefined ? holder : `${holder}:${res.locals.token?.app}`;
    afterOutage(ctx, res, async () => limiter.giveBack(who));
    const taken = await withoutCaching(async () => limiter.takeAhead(who));
    res.setHeaders(limitHeaders(ctx, taken));
    res.locals.countRepeat = (again) => countAgain(ctx, user && who, again);
    next(taken.refused ? tooMany("requests", taken) : undefined);
  };
  return Object.assign(handler, { acts: ["requests" as const] });
}

/** Counts an answer that is sent again to the same app or to an address. Undefined: it must not be sent. */
async function countAgain(
  ctx: Ctx,
  app: string | undefined,
  req: Request,
): Promise<Map<string, string> | undefined> {
  const limiter = limiterFor(ctx, "requests", app === undefined ? "address" : "account");
  const taken = await limiter.takeAhead(app ?? addressOf(req));
  return taken.refused ? undefined : limitHeaders(ctx, taken);
}
