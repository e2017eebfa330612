import type { Ctx } from "../../../src/context.ts";
import { type TweetId, type UserId, userId } from "../../../src/domain/ids.ts";
import type { Page } from "../../../src/domain/page.ts";
import type { Stamp } from "../../../src/domain/stamp.ts";
import { prepareHome } from "../../../src/domain/timelines/home.ts";
import { deliverTweet } from "../../../src/domain/actions/deliver-tweet.ts";
import { globalFeed, homeFeed, userFeed } from "../../../src/domain/feeds/feeds.ts";
import type { FeedItem } from "../../../src/domain/feeds/types.ts";
import type { Tweet } from "../../../src/domain/tweets/tweet.ts";
import type { Viewer } from "../../../src/domain/graph/relations.ts";
import { findUser, type User } from "../../../src/domain/users/store.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { createUser } from "../../../src/domain/users/sign-up.ts";
import { keys } from "../../../src/redis/keys.ts";

let made = 0;

/** Somebody as the store would tell of them, who is not stored anywhere. */
export function userWith(about: Partial<User>): User {
  return {
    id: userId(1),
    name: "Bird",
    fullname: "Bird",
    bio: "",
    website: "",
    avatar: "",
    language: "",
    generation: "",
    role: "",
    notificationsRead: 0,
    notificationsCleared: 0,
    suspended: false,
    pinned: undefined,
    createdAt: 1,
    ...about,
  };
}

/** Somebody who has just signed up, without the price of a password. */
export async function newPerson(ctx: Ctx): Promise<UserId> {
  made += 1;
  const id = await createUser(ctx, { name: `p${made}`, fullname: `Person ${made}`, pass: "none" });
  await prepareHome(ctx, id, "new");
  return id;
}

export async function newPeople(ctx: Ctx, count: number): Promise<UserId[]> {
  const people: UserId[] = [];
  // In parts: the last commands of thousands at once would wait for longer than a command may take.
  while (people.length < count) {
    const part = Math.min(500, count - people.length);
    people.push(...(await Promise.all(Array.from({ length: part }, () => newPerson(ctx)))));
  }
  return people;
}

/** Runs the delivery job of a tweet from its beginning to its end, as a worker would. */
export async function deliverAll(ctx: Ctx, tweet: TweetId): Promise<void> {
  await deliverTweet(ctx, tweet, { done: 0, save: async () => {} });
}

/** Posts and delivers. */
export async function postAndDeliver(ctx: Ctx, author: UserId, text: string): Promise<TweetId> {
  const tweet = await postTweet(ctx, author, { text });
  await deliverAll(ctx, tweet);
  return tweet;
}

/** All items of a list, read page by page to its end. */
export async function readAll<Item>(
  read: (before: Stamp | undefined) => Promise<Page<Item>>,
): Promise<Item[]> {
  const items: Item[] = [];
  let before: Stamp | undefined;
  do {
    const page: Page<Item> = await read(before);
    items.push(...page.items);
    before = page.older;
  } while (before !== undefined);
  return items;
}

/** Somebody who looks, as the site sees them at this moment. */
export async function getViewer(ctx: Ctx, id: UserId): Promise<Viewer> {
  const user = await findUser(ctx, id);
  if (user === undefined) throw new Error(`nobody has the id ${id}`);
  return user;
}

/** A page of somebody's home; of a retweet, what it retweets. */
export async function readHomePage(ctx: Ctx, id: UserId, before?: Stamp): Promise<Page<Tweet>> {
  return tweetsOf(await homeFeed(ctx, await getViewer(ctx, id), { before }));
}

/** A page of what an author wrote, for somebody who is signed out. */
export async function readUserPage(ctx: Ctx, author: UserId, before?: Stamp): Promise<Page<Tweet>> {
  return tweetsOf(await userFeed(ctx, author, { viewer: undefined, before }));
}

/** A page of everybody's newest, for somebody who is signed out. */
export async function readGlobalPage(ctx: Ctx, before?: Stamp): Promise<Page<Tweet>> {
  return tweetsOf(await globalFeed(ctx, { viewer: undefined, before }));
}

function tweetsOf({ items, older }: Page<FeedItem>): Page<Tweet> {
  return { items: items.map((item) => item.tweet), older };
}

/** The ids on somebody's home page and on all the pages that follow it; of a retweet, its own. */
export async function readHomeIds(ctx: Ctx, user: UserId): Promise<TweetId[]> {
  const viewer = await getViewer(ctx, user);
  const items = await readAll((before) => homeFeed(ctx, viewer, { before }));
  return items.map(({ tweet, retweet }) => (retweet ?? tweet).id);
}

/** What is stored in a home timeline, the floor included, with scores. */
export async function storedHome(ctx: Ctx, user: UserId): Promise<string[]> {
  return await ctx.redis.zrange(keys.homeTimeline(user), 0, "-1", "WITHSCORES");
}

/** As if nobody had looked at it for TIMELINE_TTL_DAYS. */
export async function expireHome(ctx: Ctx, user: UserId): Promise<void> {
  await ctx.redis.del(keys.homeTimeline(user));
}

/** As if a session had been opened so many seconds ago, by the clock of Redis. */
export async function backdateSession(ctx: Ctx, user: UserId, session: string, seconds: number) {
  const stamp = (Date.now() - seconds * 1000) * 1000;
  await ctx.redis.zadd(keys.sessions(user), "XX", stamp, session);
}
