import { isIPv6 } from "node:net";
import type { Request } from "express";
import { RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import type { Ctx } from "../../context.ts";
import { Invalid, TooMany } from "../../domain/errors.ts";
import { ratePrefix } from "../../domain/users/sessions.ts";
import { foldName } from "../../domain/users/names.ts";

const quarterHour = 15 * 60;

/** Failed log-ins from one address: into one account, and into all. Others can still log in. */
const limits = { account: 10, address: 100 };

export interface LogInLimits {
  /** Counts `work` if it throws Invalid; throws TooMany once there were too many of these. */
  attempt<Result>(req: Request, name: string, work: () => Promise<Result>): Promise<Result>;
}

export function limitLogIns(ctx: Ctx): LogInLimits {
  const limiterOf = (kind: keyof typeof limits) =>
    new RateLimiterRedis({
      storeClient: ctx.redis,
      useRedisPackage: false,
      keyPrefix: `${ratePrefix}:login:${kind}`,
      points: limits[kind],
      duration: quarterHour,
    });
  const account = limiterOf("account");
  const address = limiterOf("address");
  return {
    async attempt(req, name, work) {
      const from = addressOf(req);
      const counted: [RateLimiterRedis, string][] = [
        [account, `${from}:${foldName(name.slice(0, 64))}`],
        [address, from],
      ];
      for (const [limiter, key] of counted) refuseSpent(limiter, await limiter.get(key));
      try {
        return await work();
      } catch (error) {
        if (error instanceof Invalid)
          for (const [limiter, key] of counted) await consume(limiter, key);
        throw error;
      }
    },
  };
}

function refuseSpent(limiter: RateLimiterRedis, state: RateLimiterRes | null): void {
  if (state !== null && state.consumedPoints >= limiter.points)
    throw new TooMany("log-ins", Math.max(1, Math.ceil(state.msBeforeNext / 1000)));
}

/** Going over the limit just now is for the next attempt to notice. */
async function consume(limiter: RateLimiterRedis, key: string): Promise<void> {
  await limiter.consume(key).catch((reason: unknown) => {
    if (!(reason instanceof RateLimiterRes)) throw reason;
  });
}

/** IPv6 by /64, which is what one subscriber gets. */
export function addressOf(req: Request): string {
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
