/**
 * A time as an integer of microseconds since 1970: milliseconds × 1000 + (id mod 1000). The last digits of the
 * id distinguish things of the same millisecond; integers keep sorted sets compact. Safe as a double until the
 * year 2255.
 */
export type Stamp = number;

export function stampAt(milliseconds: number, id: string): Stamp {
  return Math.trunc(milliseconds) * 1000 + Number(id.slice(-3));
}

export function stampToDate(stamp: Stamp): Date {
  return new Date(Math.floor(stamp / 1000));
}

/** Parses untrusted text, such as `?before=`: undefined unless it is a whole number in the range of stamps. */
export function parseStamp(raw: string): Stamp | undefined {
  return /^\d{1,16}$/.test(raw) && Number.isSafeInteger(Number(raw)) ? Number(raw) : undefined;
}

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
