declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** Ids are the decimal text of a positive integer, handed out by INCR. */
export type UserId = Branded<"UserId">;
export type TweetId = Branded<"TweetId">;
/** What an app calls itself by, in OAuth's words its client_id: chance made it. */
export type ClientId = Branded<"ClientId">;

const idPattern = /^[1-9]\d{0,14}$/;

/** From untrusted text: undefined unless it is spelled exactly as Suzume spells ids. */
export function parseTweetId(raw: string): TweetId | undefined {
  return idPattern.test(raw) ? (raw as TweetId) : undefined;
}

const clientIdPattern = /^[\w-]{32}$/;

/** From untrusted text. */
export function parseClientId(raw: string): ClientId | undefined {
  return clientIdPattern.test(raw) ? (raw as ClientId) : undefined;
}

/** From untrusted text. */
export function parseUserId(raw: string): UserId | undefined {
  return idPattern.test(raw) ? (raw as UserId) : undefined;
}

/** From what Suzume itself stored or Redis counted. Throws on anything else: that would be a defect. */
export function userId(raw: string | number): UserId {
  return trusted(raw) as UserId;
}

/** See userId. */
export function tweetId(raw: string | number): TweetId {
  return trusted(raw) as TweetId;
}

function trusted(raw: string | number): string {
  const id = String(raw);
  if (!idPattern.test(id)) throw new TypeError(`not an id: ${JSON.stringify(id)}`);
  return id;
}
