import type { Ctx } from "../context.ts";
import { type Command, exec } from "../redis/exec.ts";
import { keys } from "../redis/keys.ts";
import { isOutage } from "./outage.ts";

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
export async function countInDay(
  ctx: Ctx,
  stat: DayStat,
  { id, at }: { id: string; at: number },
): Promise<void> {
  // Before, so that no counter stays for ever; it would have none for what is older.
  if (at < ctx.now() - keptSeconds * 1000) return;
  const key = keys.dayStat(stat, nameOfDay(at));
  try {
    await exec(ctx.redis, [
      ["pfadd", key, id],
      ["expire", key, keptSeconds],
    ]);
  } catch (error) {
    if (!isOutage(error)) throw error;
  }
}

/**
 * The numbers of the last seven days, today first, and of users who were around on any of them. All counters are in one
 * slot, so that days can be united. 29 commands in one round trip.
 */
export async function readWeek(ctx: Ctx, now: number) {
  const days = Array.from({ length: 7 }, (_, nth) => nameOfDay(now - nth * day * 1000));
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

/** "2026-11-22", in UTC; `at` in milliseconds. */
export function nameOfDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
