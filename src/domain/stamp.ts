/**
 * A moment as an integer of microseconds since 1970: milliseconds × 1000 + (id mod 1000).
 * The id's last digits keep things made in the same millisecond apart; integers keep sorted
 * sets compact. Safe as a double until the year 2255.
 */
export type Stamp = number;

export function stampAt(milliseconds: number, id: string): Stamp {
  return Math.trunc(milliseconds) * 1000 + Number(id.slice(-3));
}

export function stampToDate(stamp: Stamp): Date {
  return new Date(Math.floor(stamp / 1000));
}

/** From untrusted text, such as `?before=`: undefined unless a whole number that a stamp can be. */
export function parseStamp(raw: string): Stamp | undefined {
  return /^\d{1,16}$/.test(raw) && Number.isSafeInteger(Number(raw)) ? Number(raw) : undefined;
}
