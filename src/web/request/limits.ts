import type { Request, RequestHandler, Response } from "express";
import { LRUCache } from "lru-cache";
import type { Ctx } from "../../context.ts";
import { runWithoutDeadline } from "../../domain/deadline.ts";
import { Invalid, TooMany } from "../../domain/errors.ts";
import { limiterOf, type LimitState, tooMany } from "../../domain/limiter.ts";
import { costs, type CountedVerb, type LimitClass, limitRows } from "../../domain/limit-classes.ts";
import { withoutCaching, withoutCachingNow } from "../../domain/scope.ts";
import { type Counter, countersOf, networkOf } from "../../domain/users/payer.ts";
import { addressOf } from "./address.ts";
import { isForMachines, viewerOf } from "./reader.ts";
import { sentenceFor, waitOf } from "../layout/form.ts";

/** A handler that counts a verb. `counts` lets a test find routes without limits. */
export type CountingHandler = RequestHandler & { counts: CountedVerb | undefined };

/** Use before the handler of a route; see countVerb. Without a verb: taking something back is never limited. */
export function limitVerb(ctx: Ctx, verb: CountedVerb | undefined): CountingHandler {
  const handler: RequestHandler = async (req, res, next) => {
    if (verb !== undefined) {
      res.locals.isCounted = true;
      await countVerb(ctx, req, res, verb);
    }
    next();
  };
  return Object.assign(handler, { counts: verb });
}

/**
 * Counts a verb for the account and the address, in one round trip: for both or for none. Throws TooMany; an app finds
 * the limit in the headers of the answer, too. Not counted: requests of signed-out clients where an account is needed
 * (the handler redirects them), and requests that failed because of an outage. Returns what gives points back.
 */
export async function countVerb(
  ctx: Ctx,
  req: Request,
  res: Response,
  verb: CountedVerb,
  times = 1,
): Promise<(points: number) => Promise<void>> {
  const { limitClass, points: cost } = costs[verb];
  const who = { user: viewerOf(res), from: networkOf(ctx, addressOf(req)) };
  const { isNew, each } = countersOf(ctx, limitClass, who);
  const points = cost * Math.max(times, 0);
  const refused = points === 0 ? [] : await takeAll(ctx, res, each, points);
  const [longest] = refused.toSorted((a, b) => b.resetsIn - a.resetsIn);
  if (longest === undefined) return (back) => giveBack(each, back);
  if (isForMachines(res.req.path)) res.setHeaders(limitHeaders(ctx, limitClass, longest));
  throw tooMany(limitClass, longest, isNew);
}

/** Takes points from all counters or none, and gives them back if the answer is 503. Returns the refusals. */
async function takeAll(ctx: Ctx, res: Response, counters: Counter[], points: number) {
  const usedUp = counters.find(([limiter, who]) => limiter.isUsedUp(who, points));
  if (usedUp !== undefined) return [await usedUp[0].take(usedUp[1], points)];
  // Not recorded: the page itself does not depend on the limits.
  const taking = counters.map(([limiter, who]) => withoutCaching(() => limiter.take(who, points)));
  const undo = async () => {
    const states = await Promise.all(taking.map((one) => one.catch(() => undefined)));
    const taken = counters.filter((_, nth) => states[nth]?.refused === false);
    await giveBack(taken, points);
  };
  afterOutage(ctx, res, undo);
  const refused = (await Promise.all(taking)).filter((one) => one.refused);
  if (refused.length > 0) await undo();
  return refused;
}

async function giveBack(counters: Counter[], points: number): Promise<void> {
  await Promise.all(counters.map(([limiter, who]) => limiter.giveBack(who, points)));
}

/** Runs `work` after a 503 has been sent. No request waits for it or learns that it failed. */
function afterOutage(ctx: Ctx, res: Response, work: () => Promise<void>): void {
  const begin = () => {
    work().catch((error: unknown) => ctx.log.error({ err: error }, "limits were not given back"));
  };
  res.once("close", () => {
    if (res.statusCode === 503) runWithoutDeadline(begin);
  });
}

/**
 * Counts `work`, which creates an account; less if it fails. Sign-ups by form and by app together, counted before any
 * password is hashed. Throws TooMany.
 */
export function limitSignUps(ctx: Ctx) {
  return async <Result>(req: Request, res: Response, work: () => Promise<Result>) => {
    const pointsBack = await countVerb(ctx, req, res, "signUp");
    const { points } = costs.signUp;
    try {
      return await work();
    } catch (error) {
      // Nobody has read the form.
      if (error instanceof TooMany) await pointsBack(points);
      else if (error instanceof Invalid) await pointsBack(points - costs.refusedSignUp.points);
      throw error;
    }
  };
}

/** Seconds since 1970 as text. A window of the limit has few of them, and the text takes a while. */
const resetTimes = new LRUCache<number, string>({
  max: 1000,
  memoMethod: (seconds) => new Date(seconds * 1000).toISOString(),
});

/** The headers of Mastodon's API. */
function limitHeaders(ctx: Ctx, limitClass: LimitClass, { limit, left, resetsIn }: LimitState) {
  const { unit = 1 } = limitRows[limitClass];
  return new Map([
    ["X-RateLimit-Limit", String(Math.floor(limit / unit))],
    ["X-RateLimit-Remaining", String(Math.floor(left / unit))],
    ["X-RateLimit-Reset", resetTimes.memo(Math.ceil((withoutCachingNow(ctx) + resetsIn) / 1000))],
  ]);
}

/** Counts all requests of a user's app, or of an address, and sets the rate limit headers. Throws TooMany. */
export function limitRequests(ctx: Ctx): CountingHandler {
  const handler: RequestHandler = async (req, res, next) => {
    const user = viewerOf(res);
    const limiter = limiterOf(ctx, user === undefined ? "reads:address" : "reads:account");
    // Kept with the page, so without the request and the response.
    const app = user && `${user.id}:${res.locals.token?.app}`;
    const whoOf = (request: Request) => app ?? networkOf(ctx, addressOf(request));
    const who = whoOf(req);
    afterOutage(ctx, res, async () => limiter.giveBack(who));
    const state = await withoutCaching(async () => limiter.takeAhead(who));
    res.setHeaders(limitHeaders(ctx, "reads", state));
    // For an answer that is sent again to the same app or to an address. Undefined: it must not be sent.
    res.locals.countRepeat = async (again) => {
      const repeat = await limiter.takeAhead(whoOf(again));
      return repeat.refused ? undefined : limitHeaders(ctx, "reads", repeat);
    };
    next(state.refused ? tooMany("reads", state) : undefined);
  };
  return Object.assign(handler, { counts: "request" as const });
}

/** Max refusals per minute and user, or address if signed out, that are shown as a page; then a line of text. */
const pagesAMinute = 10;

/** Whether a refusal is shown as a page: in a flood, pages would delay other clients; a line of text costs a tenth. */
export function limitErrorPages(): (req: Request, res: Response) => boolean {
  const shown = new LRUCache<string, number>({ max: 10_000, ttl: 60_000, noUpdateTTL: true });
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
