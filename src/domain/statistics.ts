import type { Ctx } from "../context.ts";
import { type Command, exec } from "../redis/exec.ts";
import { keys } from "../redis/keys.ts";
import { dayOf, type Stamp } from "./ids.ts";
import { bestEffort } from "./outage.ts";

/** What is counted for each day, in UTC: accounts made, users who were around, tweets, reports. */
const dayStats = ["sign-ups", "people", "tweets", "reports"] as const;
type DayStat = (typeof dayStats)[number];

const day = 24 * 60 * 60;
/** TTL of a day's counter. */
const keptSeconds = 40 * day;

/**
 * Counts an id for a day, the day of `at` in milliseconds. A HyperLogLog: an id counts once, however often this
 * runs, in 12 kB for any number of ids; the count is off by 1 % or so. Statistics must not fail what they count.
 */
export async function countInDay(ctx: Ctx, stat: DayStat, { id, at }: { id: string; at: number }) {
  // Before, so that no counter stays for ever; it would have none for what is older.
  if (at < ctx.now() - keptSeconds * 1000) return;
  const key = keys.dayStat(stat, dayOf(at * 1000));
  const counted = exec(ctx.redis, [
    ["pfadd", key, id],
    ["expire", key, keptSeconds],
  ]);
  await bestEffort(counted);
}

/**
 * The numbers of the last seven days, today first, and of users who were around on any of them. All counters are in one
 * slot, so that days can be united. 29 commands in one round trip.
 */
export async function readWeek(ctx: Ctx, now: number) {
  const days = Array.from({ length: 7 }, (_, nth) => dayOf((now - nth * day * 1000) * 1000));
  const [first = "", ...others] = days.map((name) => keys.dayStat("people", name));
  const each = days.flatMap((name) =>
    dayStats.map((stat): Command => ["pfcount", keys.dayStat(stat, name)]),
  );
  const [people, ...counts] = await exec(ctx.redis, [["pfcount", first, ...others], ...each]);
  const numbers = counts.map(Number);
  return {
    days: days.map((name, nth) => {
      const [signUps = 0, around = 0, tweets = 0, reports = 0] = numbers.slice(
        dayStats.length * nth,
      );
      return { day: name, "sign-ups": signUps, people: around, tweets, reports };
    }),
    people: Number(people),
  };
}

/** Upper bounds of the buckets, in seconds. */
export const deliveryBounds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800];

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
    ["hincrby", keys.deliveryTimes, String(bucket), 1],
    ["hincrby", keys.deliveryTimes, "milliseconds", took],
  ]);
  await bestEffort(counted);
}

/** The deliveries so far: how many took at most each of the bounds, how many there were, and their sum. */
export async function readDeliveryTimes({ redis }: Ctx) {
  const counts = await redis.hgetall(keys.deliveryTimes);
  let count = 0;
  const upTo = deliveryBounds.map((bound) => (count += Number(counts[bound] ?? 0)));
  count += Number(counts["more"] ?? 0);
  return { upTo, count, seconds: Number(counts["milliseconds"] ?? 0) / 1000 };
}
