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
  /**
   * Counts `work` if it throws Invalid; throws TooMany once there were too many of these. What is
   * under way counts until it turns out well, so that guesses gain nothing by coming all at once.
   */
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
        [account, `${from}:${foldName(name.trim().slice(0, 64))}`],
        [address, from],
      ];
      for (const [limiter, key] of counted) await consume(limiter, key);
      let failed = false;
      try {
        return await work();
      } catch (error) {
        failed = error instanceof Invalid;
        throw error;
      } finally {
        if (!failed) for (const [limiter, key] of counted) await limiter.reward(key);
      }
    },
  };
}

async function consume(limiter: RateLimiterRedis, key: string): Promise<void> {
  await limiter.consume(key).catch((reason: unknown) => {
    if (!(reason instanceof RateLimiterRes)) throw reason;
    throw new TooMany("log-ins", Math.max(1, Math.ceil(reason.msBeforeNext / 1000)));
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
