import { type Stamp, stampToDate } from "../../domain/ids.ts";

/** The messages around numbers, from the server's translator or the script's. */
interface TimeWords {
  language: string;
  t(key: "time.now" | "time.minutes" | "time.hours", values?: { count: number }): string;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** The server knows no other. The site's script leaves it out, for the zone of the browser. */
type Zone = "UTC";

/** By language and zone. */
const formats = new Map<string, ReturnType<typeof makeFormats>>();

/** `now` in milliseconds. */
export function presentTime(words: TimeWords, stamp: Stamp, now: number) {
  const date = stampToDate(stamp);
  return {
    isoTime: isoTime(date),
    /** "now", "5m", "3h", "Nov 3", "Nov 3, 2024". */
    shortTime: shortTime(words, date, now, "UTC"),
    longTime: longTime(words, date, "UTC"),
  };
}

/** For machines; whole seconds. */
function isoTime(date: Date): string {
  return date.toISOString().replace(/\.\d+/, "");
}

/** A moment in a sentence. */
export function presentMoment(words: TimeWords, stamp: Stamp) {
  const date = stampToDate(stamp);
  return { iso: isoTime(date), text: longTime(words, date, "UTC") };
}

/** "November 3, 2026 at 4:05 AM UTC", or without a zone for the script. */
export function longTime({ language }: TimeWords, date: Date, zone?: Zone): string {
  const text = formatsOf(language, zone).precise.format(date);
  return zone === undefined ? text : `${text} ${zone}`;
}

/** When the `shortTime` of the same stamp changes next. Both in milliseconds. */
export function nextShortTime(stamp: Stamp, now: number): number {
  const since = Math.floor(stamp / 1000);
  const age = now - since;
  if (age < minute) return since + minute;
  if (age < hour) return since + (Math.floor(age / minute) + 1) * minute;
  if (age < day) return since + (Math.floor(age / hour) + 1) * hour;
  // Older tweets show a date, which gets a year when the year ends.
  return Date.UTC(new Date(now).getUTCFullYear() + 1);
}

/** `now` in milliseconds. */
export function shortTime(words: TimeWords, date: Date, now: number, zone?: Zone): string {
  const age = now - date.getTime();
  if (age < minute) return words.t("time.now");
  if (age < hour) return words.t("time.minutes", { count: Math.floor(age / minute) });
  if (age < day) return words.t("time.hours", { count: Math.floor(age / hour) });
  const { thisYear, anyYear } = formatsOf(words.language, zone);
  const yearOf = (one: Date) => (zone === "UTC" ? one.getUTCFullYear() : one.getFullYear());
  return (yearOf(date) === yearOf(new Date(now)) ? thisYear : anyYear).format(date);
}

/** "5 minutes", "1 hour", "7 days": rounded up; milliseconds. */
export function presentDuration({ language }: Pick<TimeWords, "language">, left: number): string {
  const { unit, size } = unitOf(left);
  const style = { style: "unit", unit, unitDisplay: "long" } as const;
  return new Intl.NumberFormat(language, style).format(Math.ceil(left / size));
}

/** After how many milliseconds that changes, while the time runs out. */
export function nextDuration(left: number): number {
  const { size } = unitOf(left);
  return left % size || 1;
}

function unitOf(left: number) {
  if (left >= day) return { unit: "day", size: day };
  return left >= hour ? { unit: "hour", size: hour } : { unit: "minute", size: minute };
}

/** "November 3, 2026". */
export function presentDay(words: TimeWords, stamp: Stamp): string {
  return formatsOf(words.language, "UTC").longDay.format(stampToDate(stamp));
}

/** "Nov 3". */
export function presentShortDay(words: TimeWords, date: Date): string {
  return formatsOf(words.language, "UTC").thisYear.format(date);
}

function formatsOf(language: string, zone?: Zone) {
  const key = `${language} ${zone}`;
  const present = formats.get(key) ?? makeFormats(language, zone);
  formats.set(key, present);
  return present;
}

function makeFormats(language: string, zone?: Zone) {
  const formatOf = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language, { ...options, timeZone: zone });
  return {
    thisYear: formatOf({ month: "short", day: "numeric" }),
    anyYear: formatOf({ year: "numeric", month: "short", day: "numeric" }),
    precise: formatOf({ dateStyle: "long", timeStyle: "short" }),
    longDay: formatOf({ dateStyle: "long" }),
  };
}
