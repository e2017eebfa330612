import { type Stamp, stampToDate } from "../stamp.ts";

/** "2026-11-20T19:48:30.123456Z": to the microsecond, so that parsing it gives the same stamp. */
export function formatTimestamp(stamp: Stamp): string {
  const micros = String(stamp % 1000).padStart(3, "0");
  return stampToDate(stamp).toISOString().replace("Z", `${micros}Z`);
}

/** Undefined unless it is a time in UTC, after 1970, in the format of exports; less precision is accepted. */
export function parseTimestamp(text: string): Stamp | undefined {
  const parts = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?Z$/.exec(text);
  const seconds = Date.parse(`${parts?.[1]}Z`) / 1000;
  const micros = Number((parts?.[2] ?? "").padEnd(6, "0"));
  const stamp = seconds * 1e6 + micros;
  return Number.isSafeInteger(stamp) && stamp > 0 ? stamp : undefined;
}
