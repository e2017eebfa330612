import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { bestEffort } from "../outage.ts";
import type { Stamp } from "../ids.ts";

/** Upper bounds of the buckets, in seconds. */
export const deliveryBounds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800];
const key = keys.deliveryTimes;

/**
 * Counts the time from the POST of a tweet to its last home timeline, which has it now. In Redis, as workers serve no
 * /metrics. Best effort: a delivery that runs twice counts twice.
 */
export async function noteDelivery(ctx: Ctx, createdAt: Stamp): Promise<void> {
  const took = Math.max(0, Math.round(ctx.now() - createdAt / 1000));
  // What the doctor delivers again after a day was not late.
  if (took > 24 * 60 * 60 * 1000) return;
  const bucket = deliveryBounds.find((bound) => took <= bound * 1000) ?? "more";
  const counted = exec(ctx.redis, [
    ["hincrby", key, String(bucket), 1],
    ["hincrby", key, "milliseconds", took],
  ]);
  await bestEffort(counted);
}

/** The deliveries so far: how many took at most each of the bounds, how many there were, and their sum. */
export async function readDeliveryTimes({ redis }: Ctx) {
  const counts = await redis.hgetall(key);
  let count = 0;
  const upTo = deliveryBounds.map((bound) => (count += Number(counts[bound] ?? 0)));
  count += Number(counts["more"] ?? 0);
  return { upTo, count, seconds: Number(counts["milliseconds"] ?? 0) / 1000 };
}
