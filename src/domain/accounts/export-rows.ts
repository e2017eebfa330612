import type { Ctx } from "../../context.ts";
import { formatTimestamp } from "../stamp.ts";
import type { Tweet, TweetRef } from "../tweets/tweet.ts";
import type { EarlierText } from "../tweets/versions.ts";
import type { User } from "../users/store.ts";
import { ownLists } from "./own-lists.ts";

/** Names of pictures in an archive; see export-archive.ts. */
export const avatarFile = "avatar.webp";
export const headerFile = "header.webp";
export const pictureFile = (name: string) => `pictures/${name}`;

/** The user, and the origin of the site for links. */
export interface ExportOptions {
  user: User;
  site: string;
  /** Only these tweets; default: all. */
  tweets?: readonly Tweet[];
}

export interface ExportSource extends ExportOptions {
  ctx: Ctx;
}

export function profileRow({ user, site }: ExportSource) {
  return {
    site,
    id: user.id,
    name: user.name,
    fullname: user.fullname,
    bio: user.bio,
    website: user.website,
    language: user.language,
    theme: user.theme,
    avatar: user.avatar === "" ? undefined : avatarFile,
    header: user.header === "" ? undefined : headerFile,
    created_at: formatTimestamp(user.createdAt),
  };
}

/** The tweets of the export, newest first. */
export async function* tweetPages({ ctx, user, tweets }: ExportSource) {
  if (tweets === undefined) yield* ownLists(ctx, user.id).tweets();
  else yield tweets;
}

export function tweetRow({ site }: ExportSource, tweet: Tweet) {
  const link = linksOf(site);
  return {
    id: tweet.id,
    created_at: formatTimestamp(tweet.createdAt),
    text: tweet.text,
    warning: tweet.warning,
    language: tweet.language,
    reply_to: link(tweet.replyTo),
    retweet_of: link(tweet.retweetOf),
    quote_of: link(tweet.quoteOf),
    pictures: picturesOf(tweet, site),
    sensitive: tweet.sensitive === true ? true : undefined,
    edited_at: tweet.editedAt === undefined ? undefined : formatTimestamp(tweet.editedAt),
  };
}

export function earlierRow(
  { site }: ExportSource,
  { tweet, at, text, warning, language }: EarlierText,
) {
  const written = { url: `${site}/tweets/${tweet.id}`, written_at: formatTimestamp(at) };
  return { ...written, text, warning, language };
}

/** Where its pictures can be loaded, while the tweet exists, and their files in an archive. */
function picturesOf({ pictures = [] }: Tweet, site: string) {
  if (pictures.length === 0) return undefined;
  return pictures.map(({ large, description }) => ({
    url: `${site}/pictures/${large.file}`,
    file: pictureFile(large.file),
    description,
  }));
}

/** The address of another tweet. */
export function linksOf(site: string) {
  return (ref: TweetRef | undefined) => ref && `${site}/tweets/${ref.tweet}`;
}
