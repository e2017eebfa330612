import { type TweetId, tweetId, type UserId, userId } from "../ids.ts";
import type { Stamp } from "../stamp.ts";
import type { TimelineTweet } from "../timelines/store.ts";
import type { Picture } from "../pictures/picture.ts";
import type { MentionedUser } from "../users/store.ts";

export interface Tweet {
  id: TweetId;
  author: UserId;
  /** Empty for a retweet. */
  text: string;
  /** Content warning: a line that readers see first, with the text and pictures folded under it. */
  warning?: string | undefined;
  /** Tag of the language of its words, if its author's app has given one; see language.ts. */
  language?: string | undefined;
  createdAt: Stamp;
  replyTo?: TweetRef | undefined;
  retweetOf?: TweetRef | undefined;
  /** The tweet of this site linked in the text, shown as a card. */
  quoteOf?: TweetRef | undefined;
  /** Users mentioned in the text who existed when it was written. */
  mentions?: readonly MentionedUser[];
  /** At most picturesAtMost. */
  pictures?: readonly Picture[] | undefined;
  /** Whether its pictures are behind a cover. */
  sensitive?: boolean | undefined;
  /** Stamp of its last edit; undefined if it is as it was posted. */
  editedAt?: Stamp | undefined;
  /** Pictures that only earlier versions show. */
  formerPictures?: readonly Picture[] | undefined;
}

/** Another tweet, with its author. */
export interface TweetRef {
  tweet: TweetId;
  author: UserId;
}

/** Whether a tweet answers or mentions a user. */
export function mentionsOrAnswers({ replyTo, mentions = [] }: Tweet, user: UserId): boolean {
  return replyTo?.author === user || mentions.some(({ id }) => id === user);
}

/** All words of a tweet: what search finds, and what muted words hide. */
export function wordsOf({ text, warning }: Pick<Tweet, "text" | "warning">): string {
  return warning === undefined ? text : `${warning}\n${text}`;
}

/** What a reader sees before opening the tweet, where nothing can be folded. */
export function shownFirst({ text, warning }: Pick<Tweet, "text" | "warning">): string {
  return warning ?? text;
}

/** The pictures that are behind no cover and under no warning. */
export function openPictures({ pictures = [], sensitive, warning }: Tweet): readonly Picture[] {
  return sensitive === true || warning !== undefined ? [] : pictures;
}

/** All pictures that a tweet shows or has shown. */
export function everyPicture({ pictures = [], formerPictures = [] }: Tweet): readonly Picture[] {
  return formerPictures.length === 0 ? pictures : [...pictures, ...formerPictures];
}

/** The tweet as the timelines need it. */
export function toTimelineTweet(
  tweet: Pick<Tweet, "id" | "author" | "createdAt" | "replyTo" | "retweetOf">,
): TimelineTweet {
  const { id, author, createdAt, replyTo, retweetOf } = tweet;
  return {
    tweet: id,
    author,
    stamp: createdAt,
    inReplyToUser: replyTo?.author === author ? undefined : replyTo?.author,
    unlisted: replyTo !== undefined || retweetOf !== undefined,
  };
}

/** The fields that are read from a tweet's hash. */
export const tweetFields = [
  "user_id",
  "created_at",
  "text",
  "deleted_at",
  "reply_to",
  "reply_to_user",
  "retweet_of",
  "retweet_of_user",
  "quote_of",
  "quote_of_user",
  "mentions",
  "pictures",
  "sensitive",
  "edited_at",
  "former_pictures",
  "warning",
  "language",
] as const;

/** Parses the values of tweetFields; undefined for a tombstone and for a missing tweet. */
export function toTweet(id: TweetId, values: (string | null)[]): Tweet | undefined {
  const [author, createdAt, text, deletedAt, ...rest] = values;
  if (typeof author !== "string" || typeof text !== "string" || typeof deletedAt === "string")
    return undefined;
  const [replyTo, replyToUser, retweetOf, retweetOfUser, quoteOf, quoteOfUser, ...more] = rest;
  const [mentions, pictures, sensitive, editedAt, formerPictures, warning, language] = more;
  return {
    id,
    author: userId(author),
    text,
    warning: warning ?? undefined,
    language: language ?? undefined,
    createdAt: Number(createdAt),
    replyTo: toRef(replyTo, replyToUser),
    retweetOf: toRef(retweetOf, retweetOfUser),
    quoteOf: toRef(quoteOf, quoteOfUser),
    mentions: readMentions(mentions),
    pictures: readPictures(pictures),
    sensitive: sensitive === "1",
    editedAt: typeof editedAt === "string" ? Number(editedAt) : undefined,
    formerPictures: readPictures(formerPictures),
  };
}

/** The same, including tombstones, which have everything but the text (and pictures once these are deleted). */
export function toRemains(id: TweetId, values: (string | null)[]): Tweet | undefined {
  const [author, createdAt, , , ...rest] = values;
  return toTweet(id, [author ?? null, createdAt ?? null, "", null, ...rest]);
}

function toRef(tweet: string | null | undefined, author: string | null | undefined) {
  if (typeof tweet !== "string" || typeof author !== "string") return undefined;
  return { tweet: tweetId(tweet), author: userId(author) };
}

/** The fields and values of the tweet's hash. */
export function serializeTweet(tweet: Tweet): (string | number)[] {
  const { author, text, createdAt, replyTo, retweetOf, quoteOf, mentions = noMentions } = tweet;
  const { pictures = noPictures, sensitive, warning, language } = tweet;
  const values = ["text", text, "created_at", createdAt, "user_id", author];
  if (warning !== undefined) values.push("warning", warning);
  if (language !== undefined) values.push("language", language);
  if (replyTo !== undefined)
    values.push("reply_to", replyTo.tweet, "reply_to_user", replyTo.author);
  if (retweetOf !== undefined)
    values.push("retweet_of", retweetOf.tweet, "retweet_of_user", retweetOf.author);
  if (quoteOf !== undefined)
    values.push("quote_of", quoteOf.tweet, "quote_of_user", quoteOf.author);
  if (mentions.length > 0) values.push("mentions", serializeMentions(mentions));
  if (pictures.length > 0) values.push("pictures", JSON.stringify(pictures));
  if (sensitive === true) values.push("sensitive", "1");
  if (tweet.editedAt !== undefined) values.push("edited_at", tweet.editedAt);
  return values;
}

/** The fields that an edit writes; an empty value removes the field, except for the text. */
export function serializeEdited(tweet: Tweet): (string | number)[] {
  const { text, quoteOf, mentions = noMentions, sensitive, editedAt = 0 } = tweet;
  const fields = {
    edited_at: editedAt,
    text,
    warning: tweet.warning ?? "",
    language: tweet.language ?? "",
    mentions: serializeMentions(mentions),
    quote_of: quoteOf?.tweet ?? "",
    quote_of_user: quoteOf?.author ?? "",
    pictures: serializeAny(tweet.pictures),
    former_pictures: serializeAny(tweet.formerPictures),
    sensitive: sensitive === true ? "1" : "",
  };
  return Object.entries(fields).flat();
}

/** Empty for no pictures. */
function serializeAny(pictures: readonly Picture[] = noPictures): string {
  return pictures.length === 0 ? "" : JSON.stringify(pictures);
}

const noMentions: readonly MentionedUser[] = [];
const noPictures: readonly Picture[] = [];

function readPictures(spelled: string | null | undefined): readonly Picture[] {
  return typeof spelled === "string" ? (JSON.parse(spelled) as Picture[]) : noPictures;
}

/** "7:alice 9:bob". */
function serializeMentions(mentions: readonly MentionedUser[]): string {
  return mentions.map(({ id, name }) => `${id}:${name}`).join(" ");
}

function readMentions(spelled: string | null | undefined): readonly MentionedUser[] {
  if (typeof spelled !== "string") return noMentions;
  return spelled.split(" ").map((pair) => {
    const [id = "", name = ""] = pair.split(":");
    return { id: userId(id), name };
  });
}
