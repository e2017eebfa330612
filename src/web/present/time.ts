import { type Stamp, stampToDate } from "../../domain/stamp.ts";

export interface TimeView {
  /** For machines. */
  isoTime: string;
  /** "now", "5m", "3h", "Nov 3", "Nov 3, 2024". */
  shortTime: string;
  longTime: string;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const thisYear = new Intl.DateTimeFormat("en", { month: "short", day: "numeric", timeZone: "UTC" });
const anyYear = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" });
const precise = new Intl.DateTimeFormat("en", {
  dateStyle: "long",
  timeStyle: "short",
  timeZone: "UTC",
});

/** `now` in milliseconds. */
export function presentTime(stamp: Stamp, now: number): TimeView {
  const date = stampToDate(stamp);
  return {
    isoTime: date.toISOString(),
    shortTime: shortTime(date, now),
    longTime: `${precise.format(date)} UTC`,
  };
}

/** Changes exactly when `shortTime` of the same stamp reads otherwise; cheaper to tell. */
export function ageOf(stamp: Stamp, now: number): number {
  const age = now - Math.floor(stamp / 1000);
  if (age < minute) return 0;
  if (age < hour) return Math.floor(age / minute);
  if (age < day) return 60 + Math.floor(age / hour);
  // From here on it is a date, with the year if that is not the present one.
  return new Date(now).getUTCFullYear();
}

/** `now` in milliseconds. The script of the site uses it too. */
export function shortTime(date: Date, now: number): string {
  const age = now - date.getTime();
  if (age < minute) return "now";
  if (age < hour) return `${Math.floor(age / minute)}m`;
  if (age < day) return `${Math.floor(age / hour)}h`;
  const sameYear = date.getUTCFullYear() === new Date(now).getUTCFullYear();
  return (sameYear ? thisYear : anyYear).format(date);
}

/** "November 3, 2026". */
export function presentDay(stamp: Stamp): string {
  return longDay.format(stampToDate(stamp));
}

const longDay = new Intl.DateTimeFormat("en", { dateStyle: "long", timeZone: "UTC" });
