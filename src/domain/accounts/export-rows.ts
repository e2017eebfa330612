import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { sightOf } from "../feeds/sight.ts";
import { listsOf, membersOfList, type UserList } from "../graph/lists.ts";
import { type ConversationId, tweetId, type UserId, formatTimestamp, type Stamp } from "../ids.ts";
import { peopleIn } from "../messages/people.ts";
import { type Entry, readPage } from "../page.ts";
import { effectiveAudience } from "../tweets/audience.ts";
import { type Poll, readTallies, type Tally } from "../tweets/poll.ts";
import { readTweets } from "../tweets/store.ts";
import type { Tweet, TweetRef } from "../tweets/tweet.ts";
import type { EarlierText } from "../tweets/versions.ts";
import { findListedUsers } from "../users/listed.ts";
import { mapFields } from "../profile-fields.ts";
import { findUsers, type User } from "../users/store.ts";

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

interface ExportSource extends ExportOptions {
  ctx: Ctx;
}

/** Reads rows in pages of bounded size, newest first, as they are consumed. */
export type Export = (source: ExportSource) => AsyncIterable<readonly object[]>;

/** All rows at once: their number is bounded. */
export function whole(read: (source: ExportSource) => Promise<object[]>): Export {
  return async function* rows(source) {
    yield await read(source);
  };
}

export async function* mapped<Item, Row>(
  pages: AsyncIterable<readonly Item[]>,
  toRow: (item: Item) => Row,
): AsyncGenerator<Row[]> {
  for await (const page of pages) yield page.map(toRow);
}

export function people(keyOf: (user: UserId) => string): Export {
  return ({ ctx, user }) =>
    mapped(
      pagesOf(ctx, keyOf(user.id), findListedUsers),
      ({ user: { name, fullname }, stamp }) => ({ name, fullname, since: formatTimestamp(stamp) }),
    );
}

/**
 * The tweets of a list that still exist, and since when (`at`) they are in it. Without those whose audience hides them
 * from the user by now.
 */
export function reactions(keyOf: (user: UserId) => string, at: string): Export {
  return ({ ctx, user, site }) =>
    pagesOf(ctx, keyOf(user.id), async (_ctx, page) => {
      const tweets = await readTweets(ctx, idsIn(page));
      const existing = tweets.filter((tweet) => tweet !== undefined);
      const { users, isClosed } = await sightOf(ctx, user, existing);
      return page.flatMap(({ stamp }, nth) => {
        const tweet = tweets[nth];
        const author = tweet && users.get(tweet.author)?.name;
        if (author === undefined || tweet === undefined || isClosed(tweet)) return [];
        return { url: `${site}/tweets/${tweet.id}`, author, [at]: formatTimestamp(stamp) };
      });
    });
}

export function profileRow({ user, site }: ExportSource) {
  return {
    site,
    id: user.id,
    name: user.name,
    ...mapFields((name) => user[name]),
    language: user.language,
    theme: user.theme,
    protected: user.protected,
    audience: user.audience,
    replies_from: user.repliesFrom,
    messages_from: user.messagesFrom,
    message_texts: user.messageTexts,
    avatar: user.avatar === "" ? undefined : avatarFile,
    header: user.header === "" ? undefined : headerFile,
    created_at: formatTimestamp(user.createdAt),
  };
}

/** The tweets of the export, newest first. */
export async function* tweetPages({ ctx, user, tweets }: ExportSource) {
  if (tweets === undefined) yield* pagesOf(ctx, keys.userTimeline(user.id), toTweets);
  else yield tweets;
}

/** The other people of each conversation in a list of the user. */
export function conversations(keyOf: (user: UserId) => string): Export {
  return ({ ctx, user }) =>
    pagesOf(ctx, keyOf(user.id), async (_ctx, page) => {
      const all = page.map(({ id }) => peopleIn(id as ConversationId));
      const others = all.map((ids) => ids.filter((id) => id !== user.id));
      const users = await findUsers(ctx, others.flat());
      return page.map(({ stamp }, nth) => ({
        people: others[nth]?.flatMap((id) => users.get(id)?.name ?? []),
        newest_at: formatTimestamp(stamp),
      }));
    });
}

/** Tweets with the numbers of their polls. */
export async function* withTallies(ctx: Ctx, pages: AsyncIterable<readonly Tweet[]>) {
  for await (const page of pages) {
    const tallies = await readTallies(ctx, undefined, page);
    yield page.map((tweet) => ({ tweet, tally: tallies.get(tweet.id) }));
  }
}

/** Of a protected account, all are for followers: on a site where the account is open they stay so. */
export function tweetRow({ site, user }: ExportSource, tweet: Tweet, tally?: Tally) {
  const link = linksOf(site);
  const audience = effectiveAudience(tweet, user);
  const { repliesFrom = "everyone" } = tweet;
  return {
    id: tweet.id,
    created_at: formatTimestamp(tweet.createdAt),
    text: tweet.text,
    warning: tweet.warning,
    language: tweet.language,
    audience: audience === "public" ? undefined : audience,
    replies_from: repliesFrom === "everyone" ? undefined : repliesFrom,
    reply_to: link(tweet.replyTo),
    retweet_of: link(tweet.retweetOf),
    quote_of: link(tweet.quoteOf),
    pictures: picturesOf(tweet, site),
    poll: tweet.poll && pollRow(tweet.poll, tally),
    sensitive: tweet.sensitive === true ? true : undefined,
    edited_at: tweet.editedAt === undefined ? undefined : formatTimestamp(tweet.editedAt),
  };
}

function pollRow(
  { choices, ends, several }: Poll,
  { counts = [], voters = 0 }: Partial<Tally> = {},
) {
  const ends_at = new Date(ends).toISOString();
  return { choices, ends_at, several, votes: counts, voters };
}

export function earlierRow({ site }: ExportSource, version: EarlierText) {
  const { tweet, at, text, warning, language } = version;
  const url = `${site}/tweets/${tweet.id}`;
  return { url, written_at: formatTimestamp(at), text, warning, language };
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

/** Entries per read; bounds the memory for a list of any length. */
const atOnce = 500;

/** A list of the user, newest first, read page by page as the caller consumes it. */
export async function* pagesOf<Item>(
  ctx: Ctx,
  key: string,
  toItems: (ctx: Ctx, page: Entry[]) => Promise<Item[]>,
): AsyncGenerator<Item[]> {
  let before: Stamp | undefined;
  do {
    const page = await readPage(ctx.redis, key, { before, limit: atOnce });
    yield await toItems(ctx, page.items);
    before = page.older;
  } while (before !== undefined);
}

/** The lists of people that the user has made, with the names of their members; one at a time. */
export async function* namedLists(
  ctx: Ctx,
  user: UserId,
): AsyncGenerator<UserList & { members: string[] }> {
  for (const list of await listsOf(ctx, user)) {
    const members = await findUsers(ctx, await membersOfList(ctx, user, list.id));
    yield { ...list, members: [...members.values()].map(({ name }) => name) };
  }
}

export async function toTweets(ctx: Ctx, page: Entry[]): Promise<Tweet[]> {
  return (await readTweets(ctx, idsIn(page))).filter((tweet) => tweet !== undefined);
}

function idsIn(page: readonly Entry[]) {
  return page.map(({ id }) => tweetId(id));
}
