import { isIPv6 } from "node:net";
import type { Request } from "express";
import { RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import type { Ctx } from "../../context.ts";
import { Invalid, TooMany } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import { ratePrefix } from "../../domain/users/sessions.ts";
import { foldName } from "../../domain/users/names.ts";

const quarterHour = 15 * 60;

/** Wrong passwords from one address: for one account, and for all. Others can still log in. */
const limits = { account: 10, address: 100 };

export interface LogInLimits {
  /**
   * Counts `work` if it throws Invalid for a wrong password; throws TooMany once there were too many of these. What is
   * under way counts until it turns out well, so that guesses gain nothing by coming all at once.
   */
  attempt<Result>(req: Request, name: string, work: () => Promise<Result>): Promise<Result>;
}

export function limitLogIns(ctx: Ctx): LogInLimits {
  const account = limiterOf(ctx, "login:account", limits.account);
  const address = limiterOf(ctx, "login:address", limits.address);
  return {
    attempt: (req, name, work) => {
      const from = addressOf(req);
      const counted: Counted[] = [
        [account, `${from}:${foldName(name.trim().slice(0, 64))}`],
        [address, from],
      ];
      return attempt(counted, work);
    },
  };
}

export interface PasswordLimits {
  /** As with log-ins, for somebody who is signed in, wherever they are: their session may be stolen. */
  attempt<Result>(user: UserId, work: () => Promise<Result>): Promise<Result>;
}

/** Where somebody signed in has to type their password: to change it, to delete the account. */
export function limitPasswordGuesses(ctx: Ctx): PasswordLimits {
  const limiter = limiterOf(ctx, "password", limits.account);
  return { attempt: (user, work) => attempt([[limiter, user]], work) };
}

type Counted = [limiter: RateLimiterRedis, key: string];

function limiterOf(ctx: Ctx, what: string, points: number): RateLimiterRedis {
  return new RateLimiterRedis({
    storeClient: ctx.redis,
    useRedisPackage: false,
    keyPrefix: `${ratePrefix}:${what}`,
    points,
    duration: quarterHour,
  });
}

async function attempt<Result>(counted: Counted[], work: () => Promise<Result>): Promise<Result> {
  for (const [limiter, key] of counted) await consume(limiter, key);
  let failed = false;
  try {
    return await work();
  } catch (error) {
    failed = isWrongGuess(error);
    throw error;
  } finally {
    if (!failed) for (const [limiter, key] of counted) await limiter.reward(key);
  }
}

/** A new password that is too short, say, tells nothing about the present one. */
function isWrongGuess(error: unknown): boolean {
  if (!(error instanceof Invalid)) return false;
  const problems = new Set(Object.values(error.problems));
  return problems.has("credentials.wrong") || problems.has("password.wrong");
}

async function consume(limiter: RateLimiterRedis, key: string): Promise<void> {
  await limiter.consume(key).catch((reason: unknown) => {
    if (!(reason instanceof RateLimiterRes)) throw reason;
    throw new TooMany("passwords", Math.max(1, Math.ceil(reason.msBeforeNext / 1000)));
  });
}

/** IPv6 by /64, which is what one subscriber gets. */
export function addressOf(req: Pick<Request, "ip">): string {
  const ip = req.ip ?? "unknown";
  if (!isIPv6(ip)) return ip;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip);
  return mapped?.[1] ?? networkOf(ip);
}

function networkOf(ip: string): string {
  const [head = "", tail] = ip.toLowerCase().split("%")[0]?.split("::") ?? [];
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => "0");
  const groups = tail === undefined ? left : [...left, ...zeros, ...right];
  return `${groups.slice(0, 4).join(":")}::/64`;
}
