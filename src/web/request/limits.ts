import type { Request, RequestHandler, Response } from "express";
import { LRUCache } from "lru-cache";
import type { Ctx } from "../../context.ts";
import type { Charge } from "../../domain/actions/mention-cost.ts";
import { runWithoutDeadline } from "../../domain/deadline.ts";
import type { TooMany } from "../../domain/errors.ts";
import {
  type LimitState,
  type Limiter,
  isOnFirstDay,
  limiterOf,
  tooMany,
} from "../../domain/limiter.ts";
import { type Act, type Holder, type Limits, actLimits, limitOf } from "../../domain/limits.ts";
import { withoutCaching, withoutCachingNow } from "../../domain/scope.ts";
import { isForMachines } from "../layout/api-error.ts";
import { addressOf } from "./address.ts";
import { filesIn } from "./multipart.ts";
import { viewerOf } from "./session.ts";

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

/** Counts the users whom a tweet of the viewer mentions or answers. */
export function chargeMentions(ctx: Ctx, req: Request, res: Response): Charge {
  return async (points) => await countActs(ctx, req, res, ["mentions", points]);
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

type Counter = [limiter: Limiter, who: string];

/** The counters of an act for one request. */
interface Counters {
  act: Act;
  /** Those of an account on its first day. */
  isNew: boolean;
  each: Counter[];
}

/** Counters of the account and of the address. None for a signed-out client where an account is needed. */
export function countersOf(ctx: Ctx, act: Act, req: Request, res: Response): Counters {
  const { account, address, either, firstDay }: Limits = actLimits[act];
  const viewer = viewerOf(res);
  if (viewer === undefined && account !== undefined && either === undefined)
    return { act, isNew: false, each: [] };
  const isNew = firstDay === true && viewer !== undefined && isOnFirstDay(ctx, viewer);
  const each: Counter[] = [];
  if (account !== undefined && viewer !== undefined)
    each.push([limiterFor(ctx, act, isNew ? "newAccount" : "account"), viewer.id]);
  if (address !== undefined && (either === undefined || viewer === undefined))
    each.push([limiterFor(ctx, act, isNew ? "newAddress" : "address"), addressOf(req)]);
  return { act, isNew, each };
}

export function limiterFor(ctx: Ctx, act: Act, holder: Holder, givesBack = false): Limiter {
  return limiterOf(ctx, `${act}:${holder}`, limitOf(ctx.config, act, holder), givesBack);
}

/**
 * Takes points from all counters or none, and gives them back if the answer is 503. Returns the refusal that
 * lasts longest, if any; an app finds it in the headers of the answer, too.
 */
export async function takePoints(
  ctx: Ctx,
  res: Response,
  { act, isNew, each }: Counters,
  points: number,
): Promise<TooMany | undefined> {
  if (points === 0) return undefined;
  const refused = (await takeAll(ctx, res, each, points)).filter((one) => one.refused);
  const [longest] = refused.toSorted((a, b) => b.resetsIn - a.resetsIn);
  if (longest === undefined) return undefined;
  if (isForMachines(res.req.path)) res.setHeaders(limitHeaders(ctx, longest));
  return tooMany(act, longest, isNew);
}

async function takeAll(
  ctx: Ctx,
  res: Response,
  counters: Counter[],
  points: number,
): Promise<LimitState[]> {
  const usedUp = counters.find(([limiter, who]) => limiter.isUsedUp(who));
  if (usedUp !== undefined) return [await usedUp[0].take(usedUp[1], points)];
  // Not recorded: the page itself does not depend on the limits.
  const taking = counters.map(([limiter, who]) => withoutCaching(() => limiter.take(who, points)));
  afterOutage(ctx, res, () => giveBack(counters, taking, points));
  const taken = await Promise.all(taking);
  if (taken.some(({ refused }) => refused)) await giveBack(counters, taking, points);
  return taken;
}

/** Gives back what was taken. */
async function giveBack(
  counters: Counter[],
  taking: Promise<LimitState>[],
  points: number,
): Promise<void> {
  const settled = await Promise.allSettled(taking);
  const inVain = counters.filter((_, nth) => {
    const one = settled[nth];
    return one?.status === "fulfilled" && !one.value.refused;
  });
  await Promise.all(inVain.map(([limiter, who]) => limiter.giveBack(who, points)));
}

/** Runs `work` after a 503 has been sent. No request waits for it or learns that it failed. */
export function afterOutage(ctx: Ctx, res: Response, work: () => Promise<void>): void {
  const begin = () => {
    work().catch((error: unknown) => ctx.log.error({ err: error }, "limits were not given back"));
  };
  res.once("close", () => {
    if (res.statusCode === 503) runWithoutDeadline(begin);
  });
}

/** Seconds since 1970 as text. A window of the limit has few of them, and the text takes a while. */
const resetTimes = new LRUCache<number, string>({
  max: 1000,
  memoMethod: (seconds) => new Date(seconds * 1000).toISOString(),
});

/** The headers of Mastodon's API. */
export function limitHeaders(ctx: Ctx, { limit, left, resetsIn }: LimitState): Map<string, string> {
  return new Map([
    ["X-RateLimit-Limit", String(limit)],
    ["X-RateLimit-Remaining", String(left)],
    ["X-RateLimit-Reset", resetTimes.memo(Math.ceil((withoutCachingNow(ctx) + resetsIn) / 1000))],
  ]);
}
