import type { z } from "zod";
import { Invalid } from "../errors.ts";
import { descriptionLimit, picturesAtMost } from "../pictures/picture.ts";
import { formatTimestamp, type Stamp } from "../ids.ts";
import { parseEntities, textLimit, warningLimit } from "../tweets/text.ts";
import { cleanLine, cleanText, countGraphemes, splitGraphemes } from "../users/display-text.ts";
import { Turns } from "./turns.ts";
import type { Zip } from "./zip.ts";

/** A row of an export, as JSON: parsing all rows at once would take as much memory as their writer likes. */
export interface Line {
  kind: string;
  json: string;
}

/** Where a file comes from. */
export type Place = "suzume" | "x" | "mastodon" | "bluesky";

/** What a reader makes of a file. */
export interface Archive {
  place: Place;
  /** Rows as in an export, tweets newest first. */
  lines: Iterable<Line>;
  /** What reads the picture of this name, if there is one. */
  picture: Zip["picture"];
}

/** A tweet of another place, before it is a row. */
export interface ForeignTweet {
  /** What replies of the same file call it. */
  id: string;
  createdAt: Stamp;
  /** In the words of this site: plain, with people and links as addresses. Of any length. */
  text: string;
  replyTo?: string | undefined;
  warning?: string | undefined;
  language?: string | undefined;
  editedAt?: Stamp | undefined;
  sensitive?: boolean | undefined;
  /** Undefined: everyone. */
  audience?: "unlisted" | "followers" | undefined;
  pictures?: { file: string; description: string }[];
  /** With its last numbers, as rows have it. */
  poll?: { choices: string[]; ends_at: string; several: boolean; votes: number[]; voters: number };
  /** Why it is not imported. */
  leftOut?: "retweet" | "private" | undefined;
}

/** Max rows of all kinds in a file: work for some minutes, and more than a file of 20 MB usually has. */
export const rowsAtMost = 200_000;

/** Max characters of all rows: they are in memory until they are stored. */
export const charactersAtMost = 60_000_000;

/** A field that counts as missing if it is not what it should be. */
export const optionally = <Schema extends z.ZodType>(schema: Schema) =>
  schema.optional().catch(undefined);

/**
 * The tweets as lines, newest first. Undefined: a row that no reader could make sense of, which is counted as such.
 * Throws Invalid beside `file` if there are too many.
 */
export async function toLines(tweets: AsyncIterable<ForeignTweet | undefined>): Promise<Line[]> {
  const rows: { at: Stamp; id: string; json: string }[] = [];
  const turns = new Turns();
  let characters = 0;
  for await (const tweet of tweets) {
    const isRead = tweet !== undefined && Number.isSafeInteger(tweet.createdAt);
    const pieces = isRead ? piecesOf(tweet) : [undefined];
    for (const piece of pieces) {
      const json = JSON.stringify(piece === undefined ? {} : toRow(piece));
      rows.push({ at: piece?.createdAt ?? 0, id: piece?.id ?? "", json });
      characters += json.length;
      if (rows.length > rowsAtMost || characters > charactersAtMost)
        throw new Invalid({ file: "import.large" });
    }
    await turns.take(isRead ? tweet.text.length : 0);
  }
  return rows
    .toSorted((one, other) => other.at - one.at || compareIds(other.id, one.id))
    .map(({ json }) => ({ kind: "tweet", json }));
}

/** Of tweets of the same moment, an answer has the larger id in all places. */
function compareIds(one: string, other: string): number {
  return one.length - other.length || (one < other ? -1 : Number(one > other));
}

/** What is longer than a tweet of this site becomes a thread: each piece answers the one before it. */
function piecesOf(tweet: ForeignTweet): ForeignTweet[] {
  const { id, createdAt, replyTo, pictures = [], leftOut } = tweet;
  if (leftOut !== undefined) return [{ ...tweet, text: "", pictures: [] }];
  const [warning = ""] = splitGraphemes(cleanLine(tweet.warning ?? ""), warningLimit);
  const texts = splitGraphemes(cleanText(tweet.text), textLimit - countGraphemes(warning));
  const count = Math.max(texts.length, Math.ceil(pictures.length / picturesAtMost), 1);
  return Array.from({ length: count }, (_, nth) => ({
    ...tweet,
    id: pieceId(id, nth),
    replyTo: nth === 0 ? replyTo : pieceId(id, nth - 1),
    createdAt: createdAt + nth * 1000,
    text: texts[nth] ?? "",
    warning,
    poll: nth === 0 ? tweet.poll : undefined,
    pictures: pictures.slice(nth * picturesAtMost, (nth + 1) * picturesAtMost),
  }));
}

function pieceId(id: string, nth: number): string {
  return nth === 0 ? id : `${id}#${nth}`;
}

function toRow({ createdAt, editedAt, replyTo, leftOut, pictures = [], ...row }: ForeignTweet) {
  return {
    ...row,
    created_at: formatTimestamp(createdAt),
    edited_at: editedAt === undefined ? undefined : formatTimestamp(editedAt),
    reply_to: replyTo,
    pictures: pictures.length === 0 ? undefined : pictures.map(toPicture),
    left_out: leftOut,
  };
}

function toPicture({ file, description }: { file: string; description: string }) {
  return { file, description: splitGraphemes(cleanText(description), descriptionLimit)[0] ?? "" };
}

/** A text in which names of people of another place are their addresses there: here they would be others'. */
export function linkNames(text: string, addressOf: (name: string) => string): string {
  let [linked, last] = ["", ""];
  let isAfterName = false;
  for (const { kind, text: piece } of parseEntities(text)) {
    const isName = kind === "mention";
    // An address ends where a name does, also in scripts without spaces.
    const needsSpace = isName
      ? /[\p{L}\p{N}]$/u.test(last)
      : isAfterName && /^[^\s.,:;!?)\]"'、。」]/.test(piece);
    last = isName ? addressOf(piece.slice(1)) : piece;
    linked += `${needsSpace ? " " : ""}${last}`;
    isAfterName = isName;
  }
  return linked;
}
