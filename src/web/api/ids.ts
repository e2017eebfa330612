import { parseTweetId, type TweetId } from "../../domain/ids.ts";
import type { Stamp } from "../../domain/stamp.ts";

/**
 * Clients sort statuses by their ids, and page by ids that they have seen. So the API's id of a status is its stamp
 * in microseconds, followed by the id of the tweet in this many digits: a decimal number, greater for newer tweets,
 * from which both can be read without a query. See docs/decisions/0018.
 */
const idDigits = 12;
const wholeId = new RegExp(String.raw`^([1-9]\d{0,15})(\d{${idDigits}})$`);

export function statusId({ id, createdAt }: { id: TweetId; createdAt: Stamp }): string {
  return `${createdAt}${id.padStart(idDigits, "0")}`;
}

/** The tweet of this id, and its stamp. Undefined if the text is not the id of a status. */
export function parseStatusId(text: string): { id: TweetId; stamp: Stamp } | undefined {
  const [, stamp, padded = ""] = wholeId.exec(text) ?? [];
  const id = parseTweetId(padded.replace(/^0+/, ""));
  return stamp === undefined || id === undefined ? undefined : { id, stamp: Number(stamp) };
}

/** Cursor of a list that is in the order of its own stamps, not of its statuses: the likes of a user. */
export function cursorId(stamp: Stamp): string {
  return `${stamp}${"0".repeat(idDigits)}`;
}

/**
 * The stamp of a bound of a list (max_id, since_id, min_id). Any decimal number is understood, also the id of
 * a status that is deleted or never existed. Undefined for anything else.
 */
export function stampOfId(text: string): Stamp | undefined {
  if (!/^\d{1,40}$/.test(text)) return undefined;
  const stamp = Number(text.slice(0, -idDigits));
  return Math.min(stamp, Number.MAX_SAFE_INTEGER);
}
