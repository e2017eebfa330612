import { LRUCache } from "lru-cache";
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import type { Ctx } from "../context.ts";
import { keys } from "../redis/keys.ts";
import { TooMany } from "./errors.ts";
import { type LimitClass, type LimitName, limitRows } from "./limit-classes.ts";
import { limitOf } from "./limits.ts";
import { bestEffort } from "./outage.ts";
import { perClient } from "./memo.ts";
import { withoutCachingNow } from "./scope.ts";
import type { Stamp } from "./ids.ts";

/** State of a limit after taking points; `refused` if there were too few. */
export interface LimitState {
  refused: boolean;
  limit: number;
  left: number;
  /** Milliseconds until all points are restored. */
  resetsIn: number;
}

/** A frequent account or address fetches one thirtieth of all its points at a time. */
const aheadShare = 30;

/** Points that were fetched ahead. */
interface Ahead {
  /** The last reply of Redis. */
  taken: LimitState;
  points: number;
  /** They expire at this time of performance.now(). */
  endsAt: number;
}

/** Max accounts and addresses that a process remembers per limit. `max` would take memory for all of them at once. */
const bounds = { maxSize: 10_000, sizeCalculation: () => 1 };

const limitersOf = perClient(() => new Map<LimitName, Limiter>());

/**
 * One limiter per counter and Redis client. Unless its class gives points back, a refusal is repeated from memory
 * until all points are restored: so a flood costs Redis nothing.
 */
export function limiterOf(ctx: Ctx, name: LimitName): Limiter {
  const limiters = limitersOf(ctx);
  const limiter = limiters.get(name) ?? createLimiter(ctx, name);
  limiters.set(name, limiter);
  return limiter;
}

/** One limit, counted in Redis for all processes together. */
export type Limiter = ReturnType<typeof createLimiter>;

function createLimiter(ctx: Ctx, name: LimitName) {
  const { points, seconds } = limitOf(ctx.config, name);
  const { givesBack } = limitRows[name.split(":")[0] as LimitClass];
  const about = { keyPrefix: `${keys.ratePrefix}:${name}`, points, duration: seconds };
  const inRedis = new RateLimiterRedis({
    ...about,
    storeClient: ctx.redis,
    useRedisPackage: false,
  });
  const here = new RateLimiterMemory(about);
  /** How many points are too many. */
  const usedUp = new LRUCache<string, number>(bounds);
  const ahead = new LRUCache<string, Ahead>(bounds);
  /** Concurrent callers share one fetch. */
  const fetching = new Map<string, Promise<LimitState>>();
  const atOnce = Math.max(1, Math.floor(points / aheadShare));
  return { take, charge, takeAhead, giveBack, look, isUsedUp };

  /** Whether this process knows, without a command, that there are too few points. */
  function isUsedUp(who: string, cost: number): boolean {
    return cost >= (usedUp.get(who) ?? Infinity);
  }

  /** The remaining points; takes none. Refused if there is none left. */
  async function look(who: string): Promise<LimitState> {
    if (isUsedUp(who, 1)) return refusedHere(who);
    const states = [await stored(who), await here.get(who)]
      .filter((state) => state !== null)
      .map((state) => taken(state, state.remainingPoints <= 0));
    const [fewest] = states.toSorted((a, b) => a.left - b.left);
    return fewest ?? { refused: false, limit: points, left: points, resetsIn: 0 };
  }

  /** Takes one point. Fetches several from Redis at a time and spends them in this process, until they expire. */
  function takeAhead(who: string): Promise<LimitState> | LimitState {
    const batch = ahead.get(who);
    const resetsIn = batch === undefined ? 0 : batch.endsAt - performance.now();
    if (batch !== undefined && batch.points > 0 && resetsIn > 0) {
      batch.points -= 1;
      return { ...batch.taken, left: batch.taken.left + batch.points, resetsIn };
    }
    const underWay = fetching.get(who);
    if (underWay !== undefined)
      return underWay.then((first) => (first.refused ? first : takeAhead(who)));
    const fetched = fetchAhead(who).finally(() => fetching.delete(who));
    fetching.set(who, fetched);
    return fetched;
  }

  /** Takes all these points or none. */
  async function take(who: string, cost = 1): Promise<LimitState> {
    if (isUsedUp(who, cost)) return refusedHere(who);
    const result = await consume(who, cost);
    const tooFew = result.refused && cost > 1;
    if (tooFew) await giveBack(who, cost);
    if (tooFew || result.left === 0) remember(who, tooFew ? cost : 1, result);
    return result;
  }

  /** Takes points for what is done already, even if there are too few. */
  async function charge(who: string, cost: number): Promise<void> {
    const result = await consume(who, cost);
    if (result.left === 0) remember(who, 1, result);
  }

  async function consume(who: string, cost: number): Promise<LimitState> {
    try {
      return await inRedis.consume(who, cost).then(taken, refusedOr);
    } catch (error) {
      if (!isRefusedWrite(error)) throw error;
      return await here.consume(who, cost).then(taken, refusedOr);
    }
  }

  function remember(who: string, cost: number, { resetsIn }: LimitState): void {
    // In the last moment of a window 0 ms are left, which the cache takes for ever.
    if (resetsIn > 0 && givesBack === undefined)
      usedUp.set(who, cost, { ttl: Math.min(resetsIn, seconds * 1000) });
  }

  /** Best effort: during an outage, points come back only with time. */
  async function giveBack(who: string, cost = 1): Promise<void> {
    usedUp.delete(who);
    if ((await here.get(who)) !== null) await here.reward(who, cost);
    else await bestEffort(inRedis.reward(who, cost));
  }

  /** If there are too few points, fetches one. */
  async function fetchAhead(who: string): Promise<LimitState> {
    const many = await take(who, atOnce);
    if (many.refused) return atOnce > 1 ? await take(who) : many;
    const endsAt = performance.now() + many.resetsIn;
    ahead.set(who, { taken: many, points: atOnce - 1, endsAt });
    return { ...many, left: many.left + atOnce - 1 };
  }

  /** The library would use a transaction, which a full Redis refuses. */
  async function stored(who: string): Promise<RateLimiterRes | null> {
    const key = inRedis.getKey(who);
    const [count, ttl] = await Promise.all([ctx.redis.get(key), ctx.redis.pttl(key)]);
    return count === null ? null : new RateLimiterRes(points - Number(count), ttl, Number(count));
  }

  function refusedHere(who: string): LimitState {
    return { refused: true, limit: points, left: 0, resetsIn: usedUp.getRemainingTTL(who) };
  }

  function taken(state: RateLimiterRes, refused = false): LimitState {
    const left = Math.max(0, state.remainingPoints);
    return { refused, limit: points, left, resetsIn: Math.max(0, state.msBeforeNext) };
  }

  function refusedOr(reason: unknown): LimitState {
    if (reason instanceof RateLimiterRes) return taken(reason, true);
    throw reason;
  }
}

/** Redis answers but refuses writes, as when it is full. Reading must continue: each process counts for itself. */
function isRefusedWrite(error: unknown): boolean {
  return error instanceof Error && /\b(OOM|MISCONF|READONLY|NOREPLICAS)\b/.test(error.message);
}

/** The error for a client that must wait for points. `firstDay`: a stricter limit of a new account. */
export function tooMany(what: string, { resetsIn }: LimitState, firstDay = false): TooMany {
  return new TooMany(what, Math.max(1, Math.ceil(resetsIn / 1000)), firstDay);
}

/** Whether the stricter limits of its first day count for an account. */
export function isOnFirstDay(ctx: Ctx, { createdAt }: { createdAt: Stamp }): boolean {
  const age = withoutCachingNow(ctx) - createdAt / 1000;
  return ctx.config.firstDayShare < 1 && age < 24 * 60 * 60 * 1000;
}
