import { parseTweetId, type TweetId, type Stamp } from "../../domain/ids.ts";
import { ownDigits } from "../../domain/notifications/api-names.ts";

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
  const isFormer = text.length > 19;
  const digits = isFormer ? text.slice(-formerIdDigits) : String(BigInt(text) % idsPerSecond);
  const id = parseTweetId(digits.replace(/^0+/, ""));
  const first = isFormer ? formerStampOf(text) : secondOf(text);
  return id && { id, first, last: isFormer ? first : first + secondStamps - 1 };
}

/** The stamp with which the second of an id begins. */
function secondOf(text: string): Stamp {
  return Number(BigInt(text) / idsPerSecond) * secondStamps;
}

/** The stamp in an id as it was before; such ids of notifications have it in the same place. */
export function formerStampOf(text: string): Stamp {
  return Math.min(Number(text.slice(0, -formerIdDigits)), Number.MAX_SAFE_INTEGER);
}

/** Bounds of lists are decimal numbers of up to 40 digits. With up to 16 digits they are stamps: links use these. */
export function isStamp(bound: string): boolean {
  return bound.length <= 16;
}

/** A status may be gone by the time that it is used as a bound, and may never have existed. */
export function statusBound(text: string): NamedStatus | Stamp {
  if (isStamp(text)) return Number(text);
  return text.length > 19 ? formerStampOf(text) : (parseStatusId(text) ?? secondOf(text));
}

/** The stamp of a notification's id, also of the longer ones that there were before; a bare stamp is one, too. */
export function stampOfNotification(text: string): Stamp {
  if (isStamp(text)) return Number(text);
  return text.length > 19 ? formerStampOf(text) : Number(text.slice(0, -ownDigits));
}
