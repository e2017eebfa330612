import { parseTweetId, type TweetId, type Stamp } from "../../domain/ids.ts";

/**
 * Clients sort statuses by their ids, page by ids that they have seen, and some keep them as 64-bit numbers. So the
 * API's id of a status is the second in which it was written, times this number, plus the id of the tweet: at most
 * 19 digits until the year 2106, and the tweet is found without a query. See docs/decisions/0018.
 */
const idsPerSecond = 2n ** 31n;
const secondStamps = 1e6;

/** A stamp in microseconds and twelve digits of the tweet: ids as they were before, which clients may have kept. */
const formerIdDigits = 12;

/** The tweet that an id names, and the first and last stamp that it can have. */
export interface NamedStatus {
  id: TweetId;
  first: Stamp;
  last: Stamp;
}

export function statusId({ id, createdAt }: { id: TweetId; createdAt: Stamp }): string {
  return String(BigInt(Math.floor(createdAt / secondStamps)) * idsPerSecond + BigInt(id));
}

/** Undefined if the text is not the id of a status. */
export function parseStatusId(text: string): NamedStatus | undefined {
  if (!/^[1-9]\d{0,27}$/.test(text)) return undefined;
  return text.length > 19 ? parseFormerId(text) : parseShortId(text);
}

function parseShortId(text: string): NamedStatus | undefined {
  const id = parseTweetId(String(BigInt(text) % idsPerSecond));
  const first = secondOf(text);
  return id === undefined ? undefined : { id, first, last: first + secondStamps - 1 };
}

/** The stamp with which the second of an id begins. */
export function secondOf(text: string): Stamp {
  return Number(BigInt(text) / idsPerSecond) * secondStamps;
}

function parseFormerId(text: string): NamedStatus | undefined {
  const id = parseTweetId(text.slice(-formerIdDigits).replace(/^0+/, ""));
  const stamp = formerStampOf(text);
  return id === undefined ? undefined : { id, first: stamp, last: stamp };
}

/** The stamp in an id as it was before; such ids of notifications have it in the same place. */
export function formerStampOf(text: string): Stamp {
  return Math.min(Number(text.slice(0, -formerIdDigits)), Number.MAX_SAFE_INTEGER);
}

/** Bounds of lists are decimal numbers of up to 40 digits. With up to 16 digits they are stamps: links use these. */
export function isStamp(bound: string): boolean {
  return bound.length <= 16;
}
