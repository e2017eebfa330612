import { LRUCache } from "lru-cache";
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import type { Ctx } from "../context.ts";
import type { RedisClient } from "../redis/redis-client.ts";
import { keys } from "../redis/keys.ts";
import { TooMany } from "./errors.ts";
import type { Limit } from "./limits.ts";
import { bestEffort } from "./outage.ts";

/** What is left after some points were taken; `refused` if there were not that many. */
export interface Taken {
  refused: boolean;
  limit: number;
  left: number;
  /** Milliseconds until all points are back. */
  resetsIn: number;
}

/** One limit, counted in Redis for all processes together. */
export interface Limiter {
  take(who: string, points?: number): Promise<Taken>;
  /** One point. Several are taken from Redis at a time and used up here, each within its time. */
  takeAhead(who: string): Promise<Taken> | Taken;
  /** As far as Redis can: during an outage they come back with time. */
  giveBack(who: string, points?: number): Promise<void>;
  /** What is left; nothing is taken. Refused if nothing is left. */
  look(who: string): Promise<Taken>;
  /** Whether this process knows, without asking, that nothing is left. */
  isUsedUp(who: string): boolean;
}

/** Of all its points, an account or address that asks often takes a thirtieth at a time. */
const aheadShare = 30;

/** What was taken ahead. */
interface Ahead {
  /** The last of it. */
  taken: Taken;
  points: number;
  /** When it is worth nothing more, by performance.now(). */
  endsAt: number;
}

/** Accounts and addresses without points that a process remembers for each limit. */
const usedUpKept = 10_000;

const limitersOf = new WeakMap<RedisClient, Map<string, Limiter>>();

/**
 * One of each name for each client of Redis. `name` is part of the key: "tweets:account". But where it
 * `givesBack` points, what is refused once is refused from memory until all points are back: a flood then
 * costs Redis nothing.
 */
export function limiterOf(ctx: Ctx, name: string, limit: Limit, givesBack = false): Limiter {
  const limiters = limitersOf.get(ctx.redis) ?? new Map<string, Limiter>();
  limitersOf.set(ctx.redis, limiters);
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
  const usedUp = new LRUCache<string, true>({ max: usedUpKept });
  const ahead = new LRUCache<string, Ahead>({ max: usedUpKept });
  /** One takes for all who ask meanwhile. */
  const fetching = new Map<string, Promise<Taken>>();
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

  function takeAhead(who: string): Promise<Taken> | Taken {
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

  async function takePoints(who: string, cost: number): Promise<Taken> {
    if (usedUp.has(who)) return refusedHere(who);
    try {
      const result = await inRedis.consume(who, cost).then(taken, refusedOr);
      if (result.left === 0 && !givesBack) usedUp.set(who, true, { ttl: result.resetsIn });
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

  /** Where there are not so many left, one. */
  async function fetchAhead(who: string): Promise<Taken> {
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

  /** The limiter itself would ask by a transaction, which a full memory refuses. */
  async function stored(who: string): Promise<RateLimiterRes | null> {
    const key = inRedis.getKey(who);
    const [count, ttl] = await Promise.all([ctx.redis.get(key), ctx.redis.pttl(key)]);
    return count === null ? null : new RateLimiterRes(points - Number(count), ttl, Number(count));
  }

  function refusedHere(who: string): Taken {
    return { refused: true, limit: points, left: 0, resetsIn: usedUp.getRemainingTTL(who) };
  }

  function taken(state: RateLimiterRes, refused = false): Taken {
    const left = Math.max(0, state.remainingPoints);
    return { refused, limit: points, left, resetsIn: Math.max(0, state.msBeforeNext) };
  }

  function refusedOr(reason: unknown): Taken {
    if (reason instanceof RateLimiterRes) return taken(reason, true);
    throw reason;
  }
}

/**
 * Redis answers, but takes no writes, as with a full memory: what only reads must go on, so each
 * process counts for itself. What writes is refused by its own write.
 */
function isRefusedWrite(error: unknown): boolean {
  return error instanceof Error && /\b(OOM|MISCONF|READONLY|NOREPLICAS)\b/.test(error.message);
}

/** For those who have to wait until points are back. */
export function tooMany(what: string, { resetsIn }: Taken): TooMany {
  return new TooMany(what, Math.max(1, Math.ceil(resetsIn / 1000)));
}
