import { LRUCache } from "lru-cache";
import type { Ctx } from "../../context.ts";
import type { LimitState } from "../../domain/limiter.ts";
import { withoutCachingNow } from "../../domain/scope.ts";

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
