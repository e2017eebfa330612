import { LRUCache } from "lru-cache";
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import type { Ctx } from "../context.ts";
import { keys } from "../redis/keys.ts";
import { TooMany } from "./errors.ts";
import type { Limit } from "./limits.ts";
import { bestEffort } from "./outage.ts";
import { perClient } from "./per-client.ts";
import { withoutCachingNow } from "./scope.ts";
import type { Stamp } from "./stamp.ts";

/** State of a limit after taking points; `refused` if there were too few. */
export interface LimitState {
  refused: boolean;
  limit: number;
  left: number;
  /** Milliseconds until all points are restored. */
  resetsIn: number;
}

/** One limit, counted in Redis for all processes together. */
export interface Limiter {
  take(who: string, points?: number): Promise<LimitState>;
  /** Takes one point. Fetches several from Redis at a time and spends them in this process, until they expire. */
  takeAhead(who: string): Promise<LimitState> | LimitState;
  /** Best effort: during an outage, points come back only with time. */
  giveBack(who: string, points?: number): Promise<void>;
  /** The remaining points; takes none. Refused if there is none left. */
  look(who: string): Promise<LimitState>;
  /** Whether this process knows, without a command, that no point is left. */
  isUsedUp(who: string): boolean;
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

/** Max accounts and addresses without points that a process remembers per limit. */
const usedUpKept = 10_000;
/** Takes memory only for what is there; `max` would take all of it at once, for each limit. */
const bounds = { maxSize: usedUpKept, sizeCalculation: () => 1 };

const limitersOf = perClient(() => new Map<string, Limiter>());

/**
 * One limiter per name and Redis client. `name` is part of the key: "tweets:account". Unless it `givesBack`
 * points, a refusal is repeated from memory until all points are restored: so a flood costs Redis nothing.
 */
export function limiterOf(ctx: Ctx, name: string, limit: Limit, givesBack = false): Limiter {
  const limiters = limitersOf(ctx);
  const known = limiters.get(name) ?? createLimiter(ctx, name, limit, givesBack);
  limiters.set(name, known);
  return known;
}

function createLimiter(
  ctx: Ctx,
  name: string,
  { points, seconds }: Limit,
  givesBack: boolean,
): Limiter {
  const about = { keyPrefix: `${keys.ratePrefix}:${name}`, points, duration: seconds };
  const inRedis = new RateLimiterRedis({
    ...about,
    storeClient: ctx.redis,
    useRedisPackage: false,
  });
  const here = new RateLimiterMemory(about);
  const usedUp = new LRUCache<string, true>(bounds);
  const ahead = new LRUCache<string, Ahead>(bounds);
  /** Concurrent callers share one fetch. */
  const fetching = new Map<string, Promise<LimitState>>();
  const atOnce = Math.max(1, Math.floor(points / aheadShare));
  return {
    takeAhead,
    isUsedUp: (who) => usedUp.has(who),
    async look(who) {
      if (usedUp.has(who)) return refusedHere(who);
      const states = [await stored(who), await here.get(who)]
        .filter((state) => state !== null)
        .map((state) => taken(state, state.remainingPoints <= 0));
      const [fewest] = states.toSorted((a, b) => a.left - b.left);
      return fewest ?? { refused: false, limit: points, left: points, resetsIn: 0 };
    },
    take: async (who, cost = 1) => await takePoints(who, cost),
    giveBack: async (who, cost = 1) => await giveBackPoints(who, cost),
  };

  function takeAhead(who: string): Promise<LimitState> | LimitState {
    const known = ahead.get(who);
    const resetsIn = known === undefined ? 0 : known.endsAt - performance.now();
    if (known !== undefined && known.points > 0 && resetsIn > 0) {
      known.points -= 1;
      return { ...known.taken, left: known.taken.left + known.points, resetsIn };
    }
    const underWay = fetching.get(who);
    if (underWay !== undefined)
      return underWay.then((first) => (first.refused ? first : takeAhead(who)));
    const fetched = fetchAhead(who).finally(() => fetching.delete(who));
    fetching.set(who, fetched);
    return fetched;
  }

  async function takePoints(who: string, cost: number): Promise<LimitState> {
    if (usedUp.has(who)) return refusedHere(who);
    try {
      const result = await inRedis.consume(who, cost).then(taken, refusedOr);
      // In the last moment of a window 0 ms are left, which the cache takes for ever.
      if (result.left === 0 && result.resetsIn > 0 && !givesBack)
        usedUp.set(who, true, { ttl: Math.min(result.resetsIn, seconds * 1000) });
      return result;
    } catch (error) {
      if (!isRefusedWrite(error)) throw error;
      return await here.consume(who, cost).then(taken, refusedOr);
    }
  }

  async function giveBackPoints(who: string, cost: number): Promise<void> {
    usedUp.delete(who);
    if ((await here.get(who)) !== null) await here.reward(who, cost);
    else await bestEffort(inRedis.reward(who, cost));
  }

  /** If there are too few points, fetches one. */
  async function fetchAhead(who: string): Promise<LimitState> {
    if (usedUp.has(who)) return refusedHere(who);
    const many = await takePoints(who, atOnce);
    if (many.refused && atOnce > 1) {
      await giveBackPoints(who, atOnce);
      return await takePoints(who, 1);
    }
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

/**
 * Redis answers but refuses writes, as when it is full. Reading must continue, so each process counts for
 * itself. Requests that write are refused by their own write.
 */
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
