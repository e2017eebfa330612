import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { Invalid } from "../errors.ts";
import type { UserId } from "../ids.ts";

export const timeZones: readonly string[] = ["UTC", ...Intl.supportedValuesOf("timeZone")];

/** The zone that a user has chosen, or that of the site. */
export async function findTimeZone(ctx: Ctx, user: UserId): Promise<string> {
  return (await ctx.redis.hget(keys.user(user), "time_zone")) ?? ctx.config.timeZone;
}

/** Throws Invalid beside `zone`. */
export async function chooseTimeZone(ctx: Ctx, user: UserId, zone: string): Promise<void> {
  if (!timeZones.includes(zone)) throw new Invalid({ zone: "zone.unknown" });
  await ctx.redis.setField(keys.user(user), "time_zone", zone);
}

const day = 24 * 60 * 60 * 1000;
const localForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/;

/** Milliseconds as a clock on the wall shows them, "2026-11-22T15:04". */
export function localTime(moment: number, zone: string): string {
  // Sweden writes dates so.
  const options = { dateStyle: "short", timeStyle: "short", timeZone: zone } as const;
  return new Intl.DateTimeFormat("sv-SE", options).format(moment).replace(" ", "T");
}

/**
 * Milliseconds of such a time. Where a clock is set back, of the first of both. Throws Invalid beside `when`: "time.gap"
 * for a time that is left out where a clock is set forward.
 */
export function momentOf(local: string, zone: string): number {
  const asUtc = Date.parse(`${local}:00Z`);
  // Some days that no month has, such as February 30, are read as days of the next one.
  const isDay = !Number.isNaN(asUtc) && localTime(asUtc, "UTC") === local;
  if (!localForm.test(local) || !isDay) throw new Invalid({ when: "time.format" });
  const offsets = [asUtc - day, asUtc + day].map(
    (near) => Date.parse(`${localTime(near, zone)}:00Z`) - near,
  );
  const moments = offsets.map((offset) => asUtc - offset);
  const fitting = moments.filter((moment) => localTime(moment, zone) === local);
  if (fitting.length === 0) throw new Invalid({ when: "time.gap" });
  return Math.min(...fitting);
}
