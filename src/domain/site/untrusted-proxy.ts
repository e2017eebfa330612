import type { Ctx } from "../../context.ts";
import { keys, ttlOf } from "../../redis/keys.ts";
import { bestEffort } from "../outage.ts";
import { perClient } from "../per-client.ts";

/** Min milliseconds between two notes of one process. */
const pause = 10 * 60_000;

const lastOf = perClient<{ at: number }>(() => ({ at: -Infinity }));

/**
 * Notes for all processes that X-Forwarded-For arrives while TRUST_PROXY is not set: then all clients of a proxy
 * share one address. Ends an hour after the last such request. Best effort.
 */
export async function noteUntrustedProxy(ctx: Ctx): Promise<void> {
  const last = lastOf(ctx);
  const now = performance.now();
  if (now - last.at < pause) return;
  last.at = now;
  await bestEffort(
    ctx.redis.set(keys.untrustedProxy, String(ctx.now()), "EX", ttlOf("untrustedProxy")),
  );
}

/** Whether such a request arrived at any process within the last hour. */
export async function hasUntrustedProxy({ config, redis }: Ctx): Promise<boolean> {
  return config.trustProxy === undefined && (await redis.exists(keys.untrustedProxy)) === 1;
}
