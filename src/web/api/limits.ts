import type { Request, RequestHandler, Response } from "express";
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import type { Ctx } from "../../context.ts";
import { Invalid, TooMany } from "../../domain/errors.ts";
import { ratePrefix } from "../../domain/users/sessions.ts";
import { addressOf } from "../middleware/rate-limit.ts";
import { viewerOf } from "../middleware/session.ts";

const fiveMinutes = 5 * 60;

/**
 * So many requests of one person, or of one address where there is nobody, in five minutes; in headers,
 * how many are left. Counted by each process for itself: asking Redis as well would make every request
 * dearer, for a limit that is there to stop what runs away. Throws TooMany.
 */
export function limitRequests(ctx: Ctx): RequestHandler {
  const points = ctx.config.apiRequests;
  const limiter = new RateLimiterMemory({ points, duration: fiveMinutes });
  return async (req, res, next) => {
    const user = viewerOf(res);
    const key = user === undefined ? addressOf(req) : `user ${user.id}`;
    const { state, refused } = await consume(limiter, key);
    tellLimits(ctx, res, points, state);
    next(refused ? tooMany(state) : undefined);
  };
}

function tellLimits(ctx: Ctx, res: Response, points: number, state: RateLimiterRes): void {
  res.setHeader("X-RateLimit-Limit", points);
  res.setHeader("X-RateLimit-Remaining", Math.max(0, state.remainingPoints));
  const reset = new Date(ctx.now() + Math.max(0, state.msBeforeNext));
  res.setHeader("X-RateLimit-Reset", reset.toISOString());
}

/** Registrations of apps from one address, by all processes: each is kept for a week. */
export function limitRegistrations(ctx: Ctx): RequestHandler {
  const limiter = new RateLimiterRedis({
    storeClient: ctx.redis,
    useRedisPackage: false,
    keyPrefix: `${ratePrefix}:apps`,
    points: 30,
    duration: 15 * 60,
  });
  return async (req, _res, next) => {
    const { state, refused } = await consume(limiter, addressOf(req));
    next(refused ? tooMany(state) : undefined);
  };
}

/** Counts `work` unless it throws Invalid. Throws TooMany. */
export type Counted = <Result>(req: Request, work: () => Promise<Result>) => Promise<Result>;

/** Sign-ups through apps from one address, by all processes: five in half an hour. */
export function limitSignUps(ctx: Ctx): Counted {
  const limiter = new RateLimiterRedis({
    storeClient: ctx.redis,
    useRedisPackage: false,
    keyPrefix: `${ratePrefix}:signups`,
    points: 5,
    duration: 30 * 60,
  });
  return async (req, work) => {
    const address = addressOf(req);
    const { state, refused } = await consume(limiter, address);
    if (refused) throw tooMany(state);
    try {
      return await work();
    } catch (error) {
      if (error instanceof Invalid) await limiter.reward(address);
      throw error;
    }
  };
}

async function consume(
  limiter: RateLimiterMemory | RateLimiterRedis,
  key: string,
): Promise<{ state: RateLimiterRes; refused: boolean }> {
  try {
    return { state: await limiter.consume(key), refused: false };
  } catch (reason) {
    if (!(reason instanceof RateLimiterRes)) throw reason;
    return { state: reason, refused: true };
  }
}

function tooMany({ msBeforeNext }: RateLimiterRes): TooMany {
  return new TooMany("requests", Math.max(1, Math.ceil(msBeforeNext / 1000)));
}
