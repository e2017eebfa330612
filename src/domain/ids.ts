declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** Ids are the decimal text of a positive integer, given out by INCR. */
export type UserId = Branded<"UserId">;
export type TweetId = Branded<"TweetId">;
/** OAuth's client_id of an app: random text. */
export type ClientId = Branded<"ClientId">;
/** Id of an uploaded picture: random, 24 hex digits. */
export type UploadId = Branded<"UploadId">;
/** Id of a list of people: random, in the form of the other ids. */
export type ListId = Branded<"ListId">;
/** Id of a draft: random, in the form of the other ids. */
export type DraftId = Branded<"DraftId">;
export type FilterId = Branded<"FilterId">;
/** The ids of all people of a conversation, in order: "3-12-40". */
export type ConversationId = Branded<"ConversationId">;

const idPattern = /^[1-9]\d{0,14}$/;

/** Parses untrusted text: undefined unless it is in exactly this form. */
const parserOf =
  <Id extends string>(form: RegExp) =>
  (raw: string): Id | undefined =>
    form.test(raw) ? (raw as Id) : undefined;

export const parseUserId = parserOf<UserId>(idPattern);
export const parseTweetId = parserOf<TweetId>(idPattern);
export const parseListId = parserOf<ListId>(idPattern);
export const parseDraftId = parserOf<DraftId>(idPattern);
export const parseFilterId = parserOf<FilterId>(idPattern);
export const parseConversationId = parserOf<ConversationId>(
  /^[1-9]\d{0,14}(-[1-9]\d{0,14}){0,19}$/,
);
export const parseClientId = parserOf<ClientId>(/^[\w-]{32}$/);
export const parseUploadId = parserOf<UploadId>(/^[0-9a-f]{24}$/);

/** Converts text that Suzume stored or Redis counted. Throws on anything else: that would be a defect. */
function trusted(raw: string | number): string {
  const id = String(raw);
  if (!idPattern.test(id)) throw new TypeError(`not an id: ${JSON.stringify(id)}`);
  return id;
}

/** See trusted. */
export const userId = trusted as (raw: string | number) => UserId;
export const tweetId = trusted as (raw: string | number) => TweetId;

/**
 * A time as an integer of microseconds since 1970: milliseconds × 1000 + (id mod 1000). The last digits of the id
 * distinguish things of the same millisecond; integers keep sorted sets compact. Safe as a double until the year 2255.
 */
export type Stamp = number;

export function stampAt(milliseconds: number, id: string): Stamp {
  return Math.trunc(milliseconds) * 1000 + Number(id.slice(-3));
}

export function stampToDate(stamp: Stamp): Date {
  return new Date(Math.floor(stamp / 1000));
}

/** "2026-11-20", in UTC. */
export function dayOf(stamp: Stamp): string {
  return stampToDate(stamp).toISOString().slice(0, 10);
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
