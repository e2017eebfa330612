import type { Ctx } from "../../context.ts";
import { type JsonRecord, recordsAt } from "../../redis/json-records.ts";
import { keys, mostOf, ttlOf } from "../../redis/keys.ts";
import type { UserId } from "../ids.ts";
import { locateUserToken, newUserToken } from "../secrets.ts";

/** What is stored of a token. `until`: milliseconds. */
type Bounded<Value> = Value & { until: number };

/** A token that has not ended, with the time at which it was found. */
export type FoundToken<Value> = JsonRecord<Bounded<Value>> & { user: UserId; now: number };

/**
 * Tokens that lead a user on for some minutes or hours. They are stored under their user, so that all of them end
 * together, and as digests: reading the database is not enough to use them. Their time is that of Redis, unless told
 * otherwise: the clock of a process may be wrong.
 */
export function userTokens<Value extends object>(
  kind: "codes" | "resetLinks" | "pendingSecondFactors",
  clock = async ({ redis }: Ctx, key: string): Promise<number> => await redis.serverTime(key),
) {
  /** The records of a user; the digest of a token is its field. */
  const of = recordsAt<Bounded<Value>, UserId>(keys[kind]);
  return { of, issue, find };

  /** A new token. Makes room before: those that have ended go and, if there are too many, those that end next. */
  async function issue(ctx: Ctx, user: UserId, value: Value, seconds = ttlOf(kind)) {
    const { token, digest } = newUserToken(user);
    const now = await clock(ctx, keys[kind](user));
    const records = of(ctx, user);
    await records.trim(({ until }) => until, mostOf(kind) - 1, now);
    await records.write(digest, { ...value, until: now + seconds * 1000 }, ttlOf(kind));
    return token;
  }

  /** Undefined if it is unknown, has ended, or cannot be a token. */
  async function find(ctx: Ctx, token: string): Promise<FoundToken<Value> | undefined> {
    const location = locateUserToken(token);
    if (location === undefined) return undefined;
    const { user, digest } = location;
    const [record, now] = await Promise.all([
      of(ctx, user).find(digest),
      clock(ctx, keys[kind](user)),
    ]);
    return record !== undefined && record.value.until > now ? { ...record, user, now } : undefined;
  }
}
