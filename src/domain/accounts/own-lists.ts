import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { type TweetId, tweetId, type UserId, userId } from "../ids.ts";
import { type Entry, readPage } from "../page.ts";
import type { Stamp } from "../stamp.ts";
import { readTweets } from "../tweets/store.ts";
import type { Tweet } from "../tweets/tweet.ts";
import { findUsers, type User } from "../users/store.ts";

/** Entries per read; bounds the memory for a list of any length. */
const atOnce = 500;

/** A user in one of the owner's lists, since a stamp. */
export interface Listing {
  user: User;
  stamp: Stamp;
}

/** A tweet in one of the owner's lists, since a stamp. */
export interface ListedTweet {
  tweet: TweetId;
  author: User;
  stamp: Stamp;
}

/** The lists of a user, newest first, read page by page as the caller consumes them. */
export function ownLists(ctx: Ctx, user: UserId) {
  const people = (key: string) => mapPages(pagesOf(ctx, key), (page) => toPeople(ctx, page));
  return {
    followings: () => people(keys.followings(user)),
    followers: () => people(keys.followers(user)),
    mutes: () => people(keys.mutes(user)),
    blocks: () => people(keys.blocks(user)),
    likes: () => mapPages(pagesOf(ctx, keys.likes(user)), (page) => toListed(ctx, page)),
    bookmarks: () => mapPages(pagesOf(ctx, keys.bookmarks(user)), (page) => toListed(ctx, page)),
    tweets: () => mapPages(pagesOf(ctx, keys.userTimeline(user)), (page) => toTweets(ctx, page)),
  };
}

async function* pagesOf(ctx: Ctx, key: string): AsyncGenerator<Entry[]> {
  let before: Stamp | undefined;
  do {
    const page = await readPage(ctx.redis, key, { before, limit: atOnce });
    yield page.items;
    before = page.older;
  } while (before !== undefined);
}

async function* mapPages<Item>(
  pages: AsyncGenerator<Entry[]>,
  map: (page: Entry[]) => Promise<Item[]>,
): AsyncGenerator<Item[]> {
  for await (const page of pages) yield await map(page);
}

/** The users who still exist. */
async function toPeople(ctx: Ctx, page: Entry[]): Promise<Listing[]> {
  const users = await findUsers(
    ctx,
    page.map((entry) => userId(entry.id)),
  );
  return page.flatMap(({ id, stamp }) => {
    const user = users.get(userId(id));
    return user === undefined ? [] : [{ user, stamp }];
  });
}

async function toListed(ctx: Ctx, page: Entry[]): Promise<ListedTweet[]> {
  const ids = page.map((entry) => tweetId(entry.id));
  const authors = (await exec(
    ctx.redis,
    ids.map((id) => ["hmget", keys.tweet(id), "user_id", "deleted_at"]),
  )) as (string | null)[][];
  const known = authors.map(([author, deleted]) =>
    typeof author === "string" && typeof deleted !== "string" ? userId(author) : undefined,
  );
  const users = await findUsers(
    ctx,
    known.filter((author) => author !== undefined),
  );
  return page.flatMap(({ id, stamp }, index) => {
    const author = users.get(known[index] ?? ("" as UserId));
    return author === undefined ? [] : [{ tweet: tweetId(id), author, stamp }];
  });
}

async function toTweets(ctx: Ctx, page: Entry[]): Promise<Tweet[]> {
  const tweets = await readTweets(
    ctx,
    page.map((entry) => tweetId(entry.id)),
  );
  return tweets.filter((tweet) => tweet !== undefined);
}
