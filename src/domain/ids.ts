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
