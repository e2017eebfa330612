import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { listsOf, membersOfList, type UserList } from "../graph/lists.ts";
import { timedMutes } from "../graph/relations.ts";
import { type TweetId, tweetId, type UserId } from "../ids.ts";
import { type Entry, readPage } from "../page.ts";
import type { Stamp } from "../stamp.ts";
import { readTweets } from "../tweets/store.ts";
import type { Tweet } from "../tweets/tweet.ts";
import { findListedUsers } from "../users/listed.ts";
import { findUsers, type User } from "../users/store.ts";

/** Entries per read; bounds the memory for a list of any length. */
const atOnce = 500;

/** A tweet in one of the owner's lists, since a stamp. */
export interface ListedTweet {
  tweet: TweetId;
  author: User;
  stamp: Stamp;
}

/** The lists of a user, newest first, read page by page as the caller consumes them. */
export function ownLists(ctx: Ctx, user: UserId) {
  return {
    followings: () => pagesOf(ctx, keys.followings(user), findListedUsers),
    followers: () => pagesOf(ctx, keys.followers(user), findListedUsers),
    mutes: () => pagesOf(ctx, keys.mutes(user), findListedUsers),
    timedMutes: () => timedMutePages(ctx, user),
    blocks: () => pagesOf(ctx, keys.blocks(user), findListedUsers),
    likes: () => pagesOf(ctx, keys.likes(user), toListed),
    bookmarks: () => pagesOf(ctx, keys.bookmarks(user), toListed),
    people: () => peopleLists(ctx, user),
    tweets: () => pagesOf(ctx, keys.userTimeline(user), toTweets),
  };
}

async function* pagesOf<Item>(
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

/** All at once: the number is bounded. */
async function* timedMutePages(
  ctx: Ctx,
  user: UserId,
): AsyncGenerator<{ name: string; until: Stamp }[]> {
  const ends = await timedMutes(ctx, user);
  const people = await findUsers(ctx, ends.keys());
  yield [...people.values()].map(({ id, name }) => ({ name, until: ends.get(id) ?? 0 }));
}

/** A list of people with the names of its members. */
interface NamedList extends UserList {
  members: string[];
}

/** One list at a time. */
async function* peopleLists(ctx: Ctx, user: UserId): AsyncGenerator<NamedList[]> {
  for (const list of await listsOf(ctx, user)) {
    const members = await findUsers(ctx, await membersOfList(ctx, user, list.id));
    yield [{ ...list, members: [...members.values()].map(({ name }) => name) }];
  }
}

/** The tweets that still exist, with their authors. */
async function toListed(ctx: Ctx, page: Entry[]): Promise<ListedTweet[]> {
  const ids = page.map((entry) => tweetId(entry.id));
  const tweets = await readTweets(ctx, ids);
  const users = await findUsers(
    ctx,
    tweets.flatMap((tweet) => tweet?.author ?? []),
  );
  return page.flatMap(({ stamp }, index) => {
    const tweet = tweets[index];
    const author = tweet && users.get(tweet.author);
    return tweet === undefined || author === undefined ? [] : [{ tweet: tweet.id, author, stamp }];
  });
}

async function toTweets(ctx: Ctx, page: Entry[]): Promise<Tweet[]> {
  const tweets = await readTweets(
    ctx,
    page.map((entry) => tweetId(entry.id)),
  );
  return tweets.filter((tweet) => tweet !== undefined);
}
