import type { Request, RequestHandler, Response } from "express";
import { LRUCache } from "lru-cache";
import type { Ctx } from "../../context.ts";
import { runWithoutDeadline } from "../../domain/deadline.ts";
import { unrecorded, unrecordedNow } from "../../domain/scope.ts";
import { Invalid, TooMany } from "../../domain/errors.ts";
import { limiterOf, type Limiter, type LimitState, tooMany } from "../../domain/limiter.ts";
import { type Act, actLimits, type Limits } from "../../domain/limits.ts";
import { mentionsIn } from "../../domain/tweets/text.ts";
import { textsOf } from "../forms/form.ts";
import { addressOf } from "./address.ts";
import { viewerOf } from "./session.ts";

/** A handler that counts acts. Its `acts` let a test find routes without limits. */
type CountingHandler = RequestHandler & { acts: Act[] };

/**
 * Use before the handler of a route. Counts an act for the account and the address, in one round trip.
 * Throws TooMany. Without an act it does nothing: taking something back is never limited. Not counted:
 * requests of signed-out clients where an account is needed (the handler redirects them), and requests
 * that failed because of an outage.
 */
export function limitAct(ctx: Ctx, act: Act | undefined): CountingHandler {
  return counting(ctx, act === undefined ? [] : [[act, () => 1]]);
}

/** Counts a tweet, with its text in `field`, and each name that it mentions. */
export function limitTweets(ctx: Ctx, field: string): CountingHandler {
  const called = ({ body }: Request) => mentionsIn(textsOf(body)[field] ?? "").length;
  return counting(ctx, [
    ["tweets", () => 1],
    ["mentions", called],
  ]);
}

/** Counts a change of a profile, with or without a picture. Use after the body has been read. */
export function limitProfiles(ctx: Ctx): CountingHandler {
  return counting(ctx, [
    ["profile", () => 1],
    ["uploads", ({ file }) => (file === undefined ? 0 : 1)],
  ]);
}

/** Points of an act that a request costs. */
type Cost = [act: Act, points: (req: Request) => number];

function counting(ctx: Ctx, costs: Cost[]): CountingHandler {
  const handler: RequestHandler = async (req, res, next) => {
    const refusals = await Promise.all(
      costs.map(async ([act, points]) =>
        refusalOf(act, await takeAll(ctx, res, countersOf(ctx, act, req, res), points(req))),
      ),
    );
    next(refusals.find((one) => one !== undefined));
  };
  return Object.assign(handler, { acts: costs.map(([act]) => act) });
}

/**
 * Counts all requests of one user, or of one address if signed out, and sets the rate limit headers.
 * Throws TooMany.
 */
export function limitRequests(ctx: Ctx): CountingHandler {
  const handler: RequestHandler = async (req, res, next) => {
    const [counter] = countersOf(ctx, "requests", req, res);
    if (counter === undefined) return next();
    const [limiter, who] = counter;
    afterOutage(ctx, res, async () => limiter.giveBack(who));
    const taken = await unrecorded(async () => limiter.takeAhead(who));
    res.setHeaders(limitHeaders(ctx, taken));
    const { id } = viewerOf(res) ?? {};
    res.locals.countRepeat = (again) => countAgain(ctx, id, again);
    next(refusalOf("requests", [taken]));
  };
  return Object.assign(handler, { acts: ["requests" as const] });
}

/** Counts an answer that is sent again to the same user or to an address. Undefined: it must not be sent. */
async function countAgain(
  ctx: Ctx,
  user: string | undefined,
  req: Request,
): Promise<Map<string, string> | undefined> {
  const limiter = limiterFor(ctx, "requests", user === undefined ? "address" : "account");
  const taken = await limiter.takeAhead(user ?? addressOf(req));
  return taken.refused ? undefined : limitHeaders(ctx, taken);
}

/** Seconds since 1970 as text. A window of the limit has few of them, and the text takes a while. */
const resetTimes = new LRUCache<number, string>({
  max: 1000,
  memoMethod: (seconds) => new Date(seconds * 1000).toISOString(),
});

function limitHeaders(ctx: Ctx, { limit, left, resetsIn }: LimitState): Map<string, string> {
  return new Map([
    ["X-RateLimit-Limit", String(limit)],
    ["X-RateLimit-Remaining", String(left)],
    ["X-RateLimit-Reset", resetTimes.memo(Math.ceil((unrecordedNow(ctx) + resetsIn) / 1000))],
  ]);
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
    const shown = refusalOf("signUpForms", await takeAll(ctx, res, [[forms, from]], 1));
    if (shown !== undefined) throw shown;
    const taken = refusalOf("signUps", await takeAll(ctx, res, [[signUps, from]], 1));
    if (taken !== undefined) throw taken;
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

type Counter = [limiter: Limiter, who: string];

function countersOf(ctx: Ctx, act: Act, req: Request, res: Response): Counter[] {
  const { account, address, either }: Limits = actLimits[act];
  const viewer = viewerOf(res);
  if (viewer === undefined && account !== undefined && either === undefined) return [];
  const counters: Counter[] = [];
  if (account !== undefined && viewer !== undefined)
    counters.push([limiterFor(ctx, act, "account"), viewer.id]);
  if (address !== undefined && (either === undefined || viewer === undefined))
    counters.push([limiterFor(ctx, act, "address"), addressOf(req)]);
  return counters;
}

function limiterFor(ctx: Ctx, act: Act, of: "account" | "address", givesBack = false): Limiter {
  const { [of]: row }: Limits = actLimits[act];
  if (row === undefined) throw new TypeError(`no limit of ${act} for one ${of}`);
  const name = `${act}:${of}`;
  const { limits, limitFactor } = ctx.config;
  const points = limits[name] ?? row.points * limitFactor;
  return limiterOf(ctx, name, { ...row, points }, givesBack);
}

/** Takes from all counters or none, and gives back if the answer is 503. */
async function takeAll(
  ctx: Ctx,
  res: Response,
  counters: Counter[],
  points: number,
): Promise<LimitState[]> {
  if (points === 0) return [];
  const usedUp = counters.find(([limiter, who]) => limiter.isUsedUp(who));
  if (usedUp !== undefined) return [await usedUp[0].take(usedUp[1], points)];
  // Not recorded: the page itself does not depend on the limits.
  const taking = counters.map(([limiter, who]) => unrecorded(() => limiter.take(who, points)));
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
function afterOutage(ctx: Ctx, res: Response, work: () => Promise<void>): void {
  const begin = () => {
    work().catch((error: unknown) => ctx.log.error({ err: error }, "limits were not given back"));
  };
  res.once("close", () => {
    if (res.statusCode === 503) runWithoutDeadline(begin);
  });
}

/** Of several refusals, the one that lasts longest. */
function refusalOf(act: Act, taken: LimitState[]): TooMany | undefined {
  const refused = taken.filter((one) => one.refused);
  const [longest] = refused.toSorted((a, b) => b.resetsIn - a.resetsIn);
  return longest && tooMany(act, longest);
}
