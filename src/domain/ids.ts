declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** Ids are the decimal text of a positive integer, handed out by INCR. */
export type UserId = Branded<"UserId">;
export type TweetId = Branded<"TweetId">;

const idPattern = /^[1-9]\d{0,14}$/;

/** From untrusted text: undefined unless it is spelled exactly as Suzume spells ids. */
export function parseTweetId(raw: string): TweetId | undefined {
  return idPattern.test(raw) ? (raw as TweetId) : undefined;
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
