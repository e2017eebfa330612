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
