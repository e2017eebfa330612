import type { Ctx } from "../../context.ts";
import { listPasskeys } from "../factors/passkeys.ts";
import { findTotp } from "../factors/totp.ts";
import { listFilters } from "../graph/filters.ts";
import { followedTags } from "../graph/followed-tags.ts";
import { formatTimestamp } from "../stamp.ts";
import type { Tweet, TweetRef } from "../tweets/tweet.ts";
import { earlierTexts } from "../tweets/versions.ts";
import { listDevices } from "../users/sessions.ts";
import type { ListedUser } from "../users/listed.ts";
import type { User } from "../users/store.ts";
import { findAddress } from "./mail-address.ts";
import { toWordRows } from "./muted-word-rows.ts";
import { ownLists } from "./own-lists.ts";

/** Identifies the format of the file. A change that breaks old readers needs a new version. */
export const exportFormat = "suzume-export";
export const exportVersion = 1;

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

/**
 * All data of a user as JSON, in pieces of bounded size, read only as they are consumed. Leaves out what gives
 * access: the password's hash, the ids of sessions, the keys of passkeys and of the authenticator app.
 */
export async function* exportJson(
  ctx: Ctx,
  { user, site, tweets }: ExportOptions,
): AsyncGenerator<string> {
  const lists = ownLists(ctx, user.id);
  const totpSince = await findTotp(ctx, user.id);
  const link = linksOf(site);
  yield jsonHead({
    format: exportFormat,
    version: exportVersion,
    exported_at: new Date(ctx.now()).toISOString(),
    site,
    profile: {
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
    },
    mail: (await findAddress(ctx, user.id))?.address ?? null,
    sessions: (await listDevices(ctx, user)).map(({ openedAt, device }) => ({
      opened_at: formatTimestamp(openedAt),
      device,
    })),
    passkeys: (await listPasskeys(ctx, user.id)).map(({ name, createdAt, usedAt }) => ({
      name,
      created_at: formatTimestamp(createdAt),
      used_at: usedAt === undefined ? undefined : formatTimestamp(usedAt),
    })),
    authenticator_app_since: totpSince === undefined ? null : formatTimestamp(totpSince),
    followed_tags: await followedTags(ctx, user.id),
    muted_words: (await listFilters(ctx, user.id)).flatMap(toWordRows),
  });
  yield* jsonList(
    "timed_mutes",
    mapped(lists.timedMutes(), ({ name, until }) => ({ name, until: formatTimestamp(until) })),
  );
  for (const list of ["followings", "followers", "mutes", "blocks"] as const)
    yield* jsonList(list, mapped(lists[list](), toJsonPerson));
  yield* jsonList(
    "lists",
    mapped(lists.people(), ({ title, replies, createdAt, members }) => ({
      title,
      replies,
      created_at: formatTimestamp(createdAt),
      members,
    })),
  );
  for (const [list, at] of [
    ["likes", "liked_at"],
    ["bookmarks", "bookmarked_at"],
  ] as const)
    yield* jsonList(
      list,
      mapped(lists[list](), ({ tweet, author, stamp }) => ({
        url: `${site}/tweets/${tweet}`,
        author: author.name,
        [at]: formatTimestamp(stamp),
      })),
    );
  const pages = () => (tweets === undefined ? lists.tweets() : [tweets]);
  yield* jsonList(
    "tweets",
    mapped(pages(), (tweet) => ({
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
    })),
  );
  yield* jsonList("earlier_versions", earlierVersions(ctx, site, pages()));
  yield "\n}\n";
}

/** What edits have replaced. A list of its own: with a whole history, a tweet would be too long to import. */
async function* earlierVersions(
  ctx: Ctx,
  site: string,
  pages: AsyncIterable<readonly Tweet[]> | Iterable<readonly Tweet[]>,
) {
  for await (const page of pages)
    yield (await earlierTexts(ctx, page)).map(({ tweet, at, text, warning, language }) => ({
      url: `${site}/tweets/${tweet.id}`,
      written_at: formatTimestamp(at),
      text,
      warning,
      language,
    }));
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

function toJsonPerson({ user, stamp }: ListedUser) {
  return { name: user.name, fullname: user.fullname, since: formatTimestamp(stamp) };
}

/** The beginning of an object, without its end. */
function jsonHead(values: object): string {
  return `{\n${Object.entries(values)
    .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
    .join(",\n")}`;
}

/** A list in that object, one item per line. */
async function* jsonList(
  name: string,
  pages: AsyncIterable<readonly object[]>,
): AsyncGenerator<string> {
  yield `,\n${JSON.stringify(name)}: [`;
  let separator = "\n";
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield separator + page.map((item) => JSON.stringify(item)).join(",\n");
    separator = ",\n";
  }
  yield separator === "\n" ? "]" : "\n]";
}

async function* mapped<From, To>(
  pages: AsyncIterable<readonly From[]> | Iterable<readonly From[]>,
  map: (item: From) => To,
): AsyncGenerator<To[]> {
  for await (const page of pages) yield page.map(map);
}
