import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import type { TweetId, UploadId, Stamp } from "../ids.ts";
import { readerOf } from "../members.ts";
import type { MentionedUser } from "../users/store.ts";
import { everyPicture, type Tweet } from "./tweet.ts";

/** Max edits of a tweet; further ones are refused, so its history is always whole. */
export const editsAtMost = 20;
/** Max bytes of all earlier versions: 20 with four full descriptions in Japanese fit. */
export const historyBytes = 280_000;

/** A version that an edit has replaced, as it is stored. */
interface Version {
  text: string;
  warning: string | undefined;
  language: string | undefined;
  /** Since when the tweet was so. */
  at: Stamp;
  mentions?: readonly MentionedUser[];
  /** Their files are those of the tweet's pictures. */
  pictures?: readonly { id: UploadId; description: string }[];
  sensitive?: boolean;
}

/** Fields of the tweet's hash, the oldest version first. */
export const versionFields = Array.from({ length: editsAtMost }, (_, nth) => `was:${nth}`);

const readVersions = readerOf<TweetId, readonly Version[]>({
  key: keys.tweet,
  command: ["hmget", ...versionFields],
  parse: (reply) => toVersions(reply as (string | null)[]),
});

export function serializeVersion(tweet: Tweet): string {
  const { text, warning, language, createdAt, editedAt: at = createdAt } = tweet;
  const { mentions = [], pictures = [], sensitive } = tweet;
  const described = pictures.map(({ id, description }) => ({ id, description }));
  const version: Version = { text, at, warning, language };
  if (mentions.length > 0) version.mentions = mentions;
  if (pictures.length > 0) version.pictures = described;
  if (sensitive === true) version.sensitive = true;
  return JSON.stringify(version);
}

/**
 * The tweet as it is, and then as it was before each edit, newest first. `createdAt` of each is the stamp since when it
 * was so.
 */
export async function historyOf(ctx: Ctx, tweet: Tweet): Promise<Tweet[]> {
  const { editedAt: since = tweet.createdAt } = tweet;
  // An edit after the tweet was read has kept what the tweet is here.
  const versions = (await readVersions(ctx, tweet.id)).filter(({ at }) => at < since);
  const current = { ...tweet, createdAt: since };
  return [current, ...versions.toReversed().map((version) => asItWas(tweet, version))];
}

/** What a tweet said at first, or after one of its edits, since the stamp `at`. */
export type EarlierText = Awaited<ReturnType<typeof earlierTexts>>[number];

/** The earlier versions, with the stamps since when they were so; the oldest first. */
export async function earlierTexts(ctx: Ctx, tweets: readonly Tweet[]) {
  const edited = tweets.filter(({ editedAt }) => editedAt !== undefined);
  const replies = (await exec(
    ctx.redis,
    edited.map(({ id }) => ["hmget", keys.tweet(id), ...versionFields]),
  )) as (string | null)[][];
  return edited.flatMap((tweet, nth) =>
    toVersions(replies[nth] ?? []).map((version) => ({ ...version, tweet })),
  );
}

function toVersions(values: (string | null)[]): Version[] {
  return values.flatMap((value) => (value === null ? [] : [JSON.parse(value) as Version]));
}

function asItWas(tweet: Tweet, version: Version): Tweet {
  const { text, warning, language, at, mentions, pictures = [], sensitive } = version;
  const files = new Map(everyPicture(tweet).map((picture) => [picture.id, picture]));
  return {
    id: tweet.id,
    author: tweet.author,
    text,
    warning,
    language,
    createdAt: at,
    mentions: mentions ?? [],
    pictures: pictures.flatMap(({ id, description }) => {
      const picture = files.get(id);
      return picture === undefined ? [] : [{ ...picture, description }];
    }),
    sensitive: sensitive === true,
  };
}
