import type { Request, RequestHandler, Response } from "express";
import type { Ctx } from "../../context.ts";
import { type Calling, callPoints } from "../../domain/actions/call-points.ts";
import { Invalid, TooMany } from "../../domain/errors.ts";
import { tooMany } from "../../domain/limiter.ts";
import type { Act } from "../../domain/limits.ts";
import { unrecorded } from "../../domain/scope.ts";
import { afterOutage, countersOf, limitHeaders, limiterFor, takePoints } from "./act-counters.ts";
import { addressOf } from "./address.ts";
import { filesIn } from "./body-limits.ts";
import { requireViewer, viewerOf } from "./session.ts";

/** A handler that counts acts. Its `acts` let a test find routes without limits. */
export type CountingHandler = RequestHandler & { acts: Act[] };

/**
 * Use before the handler of a route. Counts an act for the account and the address, in one round trip.
 * Throws TooMany. Without an act it does nothing: taking something back is never limited. Not counted:
 * requests of signed-out clients where an account is needed (the handler redirects them), and requests
 * that failed because of an outage.
 */
export function limitAct(ctx: Ctx, act: Act | undefined): CountingHandler {
  return counting(ctx, act === undefined ? [] : [[act, () => 1]]);
}

/** Counts a change of a profile, with or without a picture. Use after the body has been read. */
export function limitProfiles(ctx: Ctx): CountingHandler {
  return counting(ctx, [
    ["profile", () => 1],
    ["uploads", (req) => filesIn(req).length],
  ]);
}

/** Points of an act that a request costs. */
type Cost = [act: Act, points: (req: Request) => number];

function counting(ctx: Ctx, costs: Cost[]): CountingHandler {
  const handler: RequestHandler = async (req, res, next) => {
    const refusals = await Promise.all(
      costs.map(async ([act, points]) =>
        takePoints(ctx, res, countersOf(ctx, act, req, res), points(req)),
      ),
    );
    next(refusals.find((one) => one !== undefined));
  };
  return Object.assign(handler, { acts: costs.map(([act]) => act) });
}

/** Counts the users whom a tweet of the viewer mentions or answers, before it is posted. Throws TooMany. */
export async function countMentions(
  ctx: Ctx,
  req: Request,
  res: Response,
  tweet: Calling,
): Promise<void> {
  const points = await callPoints(ctx, requireViewer(res).id, tweet);
  await countActs(ctx, req, res, ["mentions", points]);
}

/** Counts acts of a request beside those that its route counts. Throws TooMany. */
export async function countActs(
  ctx: Ctx,
  req: Request,
  res: Response,
  [act, points]: [act: Act, points: number],
): Promise<void> {
  const refusal = await takePoints(ctx, res, countersOf(ctx, act, req, res), Math.max(points, 0));
  if (refusal !== undefined) throw refusal;
}

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
    const taken = await unrecorded(async () => limiter.takeAhead(who));
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

/**
 * Counts `work`, which creates an account, if it succeeds. Sign-ups by form and by app together, counted
 * before any password is hashed. Throws TooMany.
 */
export function limitSignUps(ctx: Ctx) {
  const forms = limiterFor(ctx, "signUpForms", "address");
  const signUps = limiterFor(ctx, "signUps", "address", true);
  return async <Result>(req: Request, res: Response, work: () => Promise<Result>) => {
    const from = addressOf(req);
    for (const [act, limiter] of [
      ["signUpForms", forms],
      ["signUps", signUps],
    ] as const) {
      const counters = { act, isNew: false, each: [[limiter, from] as [typeof limiter, string]] };
      const refusal = await takePoints(ctx, res, counters, 1);
      if (refusal !== undefined) throw refusal;
    }
    try {
      return await work();
    } catch (error) {
      const neverSeen = error instanceof TooMany;
      if (neverSeen) await forms.giveBack(from);
      if (neverSeen || error instanceof Invalid) await signUps.giveBack(from);
      throw error;
    }
  };
}
