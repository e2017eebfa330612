import {
  type FieldPairs,
  type FieldValues,
  hashCodec,
  inField,
  type Property,
} from "../../redis/hash-codec.ts";
import { type TweetId, tweetId, type UserId, userId, type Stamp } from "../ids.ts";
import type { TimelineTweet } from "../timelines/store.ts";
import type { Picture } from "../pictures/picture.ts";
import type { MentionedUser } from "../users/store.ts";
import type { Poll } from "./poll.ts";
import { type Audience, audiences, oneOf, type ReplyRight, replyRights } from "../users/choices.ts";

export interface Tweet {
  id: TweetId;
  author: UserId;
  /** Empty for a retweet. */
  text: string;
  /** Content warning: a line that readers see first, with the text and pictures folded under it. */
  warning?: string | undefined;
  /** Tag of the language of its words, if its author's app has given one; see text.ts. */
  language?: string | undefined;
  createdAt: Stamp;
  replyTo?: TweetRef | undefined;
  retweetOf?: TweetRef | undefined;
  /** The tweet of this site linked in the text, shown as a card. */
  quoteOf?: TweetRef | undefined;
  /** Whom it is for; see audience.ts. Default: public. */
  audience?: Audience | undefined;
  /** Who may reply. Default: everyone who may see it. */
  repliesFrom?: ReplyRight | undefined;
  /** Of a reply: the tweets above it whose repliesFrom counts as well, see who-may-reply.ts. Default: what it answers. */
  limitsOf?: readonly TweetId[] | undefined;
  /** Users mentioned in the text who existed when it was written; of a message also its other people. */
  mentions?: readonly MentionedUser[];
  /** At most picturesAtMost. */
  pictures?: readonly Picture[] | undefined;
  /** Whether its pictures are behind a cover. */
  sensitive?: boolean | undefined;
  /** Poll as it was posted: an edit does not change it. */
  poll?: Poll | undefined;
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
export function mentionsOrAnswers(
  { replyTo, mentions = [] }: Pick<Tweet, "replyTo" | "mentions">,
  user: UserId,
): boolean {
  return replyTo?.author === user || mentions.some(({ id }) => id === user);
}

/** All words of a tweet: what search finds, and what muted words hide. */
export function wordsOf({ text, warning, poll }: Pick<Tweet, "text" | "warning" | "poll">): string {
  const words = warning === undefined ? text : `${warning}\n${text}`;
  return poll === undefined ? words : [words, ...poll.choices].join("\n");
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

/** The first pictures, without those that are among the others. */
export function picturesExcept(pictures: readonly Picture[], others: readonly Picture[]) {
  const ids = new Set(others.map(({ id }) => id));
  return pictures.filter(({ id }) => !ids.has(id));
}

/** The tweet as the timelines need it. */
export function toTimelineTweet(tweet: Tweet): TimelineTweet {
  const { id, author, createdAt, replyTo, retweetOf, audience = "public" } = tweet;
  return {
    tweet: id,
    author,
    stamp: createdAt,
    inReplyToUser: replyTo?.author === author ? undefined : replyTo?.author,
    unlisted: replyTo !== undefined || retweetOf !== undefined || audience !== "public",
  };
}

const noMentions: readonly MentionedUser[] = [];
const noPictures: readonly Picture[] = [];

/** How each property is stored in a tweet's hash. */
const codec = hashCodec<Omit<Tweet, "id">>({
  author: inField("user_id", (id = "") => id as UserId),
  createdAt: inField("created_at", Number),
  text: inField("text", (text = "") => text),
  warning: inField("warning", (text) => text),
  language: inField("language", (tag) => tag),
  replyTo: refIn("reply_to"),
  retweetOf: refIn("retweet_of"),
  quoteOf: refIn("quote_of"),
  audience: choiceIn("audience", audiences),
  repliesFrom: choiceIn("replies_from", replyRights),
  limitsOf: inField(
    "limits_of",
    (ids) => ids?.split(" ").map(tweetId),
    (ids) => ids?.join(" ") ?? "",
  ),
  mentions: inField("mentions", readMentions, serializeMentions),
  pictures: picturesIn("pictures"),
  sensitive: inField("sensitive", (flag) => flag === "1", writeFlag),
  editedAt: inField("edited_at", (stamp) => (stamp === undefined ? undefined : Number(stamp))),
  formerPictures: picturesIn("former_pictures"),
  poll: inField("poll", readPoll, (poll) => (poll === undefined ? "" : JSON.stringify(poll))),
});

/** The first of the words is not stored. */
function choiceIn<Word extends string>(field: string, words: readonly [Word, ...Word[]]) {
  return inField(field, oneOf(words), (word) =>
    word === undefined || word === words[0] ? "" : word,
  );
}

function writeFlag(flag: boolean | undefined): string {
  return flag === true ? "1" : "";
}

function refIn(field: string): Property<TweetRef | undefined> {
  return {
    fields: [field, `${field}_user`],
    read: (tweet, author) =>
      tweet === undefined || author === undefined
        ? undefined
        : { tweet: tweetId(tweet), author: userId(author) },
    write: (ref) => (ref === undefined ? [] : [ref.tweet, ref.author]),
  };
}

function picturesIn(field: string): Property<readonly Picture[] | undefined> {
  return inField(field, readPictures, (pictures = noPictures) =>
    pictures.length === 0 ? "" : JSON.stringify(pictures),
  );
}

function readPictures(spelled: string | undefined): readonly Picture[] {
  return spelled === undefined ? noPictures : (JSON.parse(spelled) as Picture[]);
}

function readPoll(spelled: string | undefined): Poll | undefined {
  return spelled === undefined ? undefined : (JSON.parse(spelled) as Poll);
}

/** The fields that are read from a tweet's hash. */
export const tweetFields = [...codec.fields, "deleted_at"];
const [authorAt, textAt, deletedAt] = ["user_id", "text", "deleted_at"].map((field) =>
  tweetFields.indexOf(field),
) as [number, number, number];

/** Parses the values of tweetFields; undefined for a draft, a tombstone and a missing tweet. */
export function toTweet(id: TweetId, values: FieldValues): Tweet | undefined {
  const isTweet =
    typeof values[authorAt] === "string" &&
    typeof values[textAt] === "string" &&
    typeof values[deletedAt] !== "string";
  return isTweet ? codec.decode({ id }, values) : undefined;
}

/** The same, including tombstones, which have everything but the text (and pictures once these are deleted). */
export function toTombstone(id: TweetId, values: FieldValues): Tweet | undefined {
  if (typeof values[authorAt] !== "string") return undefined;
  return { ...codec.decode({ id }, values), text: "" };
}

/** The fields of all words of a tweet. */
export const wordFields = ["text", "warning", "poll"];

/** Parses their values, as wordsOf has them; undefined without a text. */
export function toWords([text, warning, poll]: FieldValues): string | undefined {
  if (typeof text !== "string") return undefined;
  return wordsOf({ text, warning: warning ?? undefined, poll: readPoll(poll ?? undefined) });
}

/** The fields and values of the tweet's hash; a draft names its author in another field. */
export function serializeTweet({ author, ...tweet }: Tweet, authorField = "user_id"): FieldPairs {
  const names = codec.names.filter((name) => name !== "author");
  const pairs = codec.encode(tweet, names);
  // A retweet has an empty text.
  const isWritten = (at: number) => pairs[at] === "text" || pairs[at + 1] !== "";
  return [authorField, author, ...pairs.filter((_, at) => isWritten(at - (at % 2)))];
}

/** The fields that an edit writes; an empty value removes the field, except for the text. */
export function serializeEdited(tweet: Tweet): FieldPairs {
  return codec.encode(tweet, [
    "editedAt",
    "audience",
    "repliesFrom",
    "text",
    "warning",
    "language",
    "mentions",
    "quoteOf",
    "pictures",
    "formerPictures",
    "sensitive",
  ]);
}

/** "7:alice 9:bob". */
function serializeMentions(mentions: readonly MentionedUser[] = noMentions): string {
  return mentions.map(({ id, name }) => `${id}:${name}`).join(" ");
}

function readMentions(spelled: string | undefined): readonly MentionedUser[] {
  if (spelled === undefined) return noMentions;
  return spelled.split(" ").map((pair) => {
    const [id = "", name = ""] = pair.split(":");
    return { id: userId(id), name };
  });
}
