import type { Ctx } from "../../../src/context.ts";
import { type TweetId, type UserId, userId, type Stamp } from "../../../src/domain/ids.ts";
import type { Page } from "../../../src/domain/page.ts";
import { prepareHome } from "../../../src/domain/timelines/home.ts";
import { deliverTweet } from "../../../src/domain/actions/deliver-tweet.ts";
import { globalFeed, homeFeed, userFeed } from "../../../src/domain/feeds/feeds.ts";
import type { FeedItem } from "../../../src/domain/feeds/types.ts";
import type { Tweet } from "../../../src/domain/tweets/tweet.ts";
import type { Viewer } from "../../../src/domain/graph/relations.ts";
import { mapFields } from "../../../src/domain/profile-fields.ts";
import { findUser, type User } from "../../../src/domain/users/store.ts";
import { postTweet } from "../../../src/domain/actions/post-tweet.ts";
import { createUser } from "../../../src/domain/users/sign-up.ts";
import { keys } from "../../../src/redis/keys.ts";

let made = 0;

/** A user as the store returns it, but not stored. */
export function userWith(about: Partial<User>): User {
  return {
    id: userId(1),
    name: "Bird",
    ...mapFields(() => ""),
    fullname: "Bird",
    avatar: "",
    header: "",
    verified: "",
    language: "",
    theme: "",
    generation: "",
    role: "",
    notificationsRead: 0,
    homeRead: 0,
    notificationsCleared: 0,
    protected: false,
    audience: "public",
    repliesFrom: "everyone",
    messagesFrom: "everyone",
    messageTexts: false,
    suspended: false,
    waiting: false,
    pinned: undefined,
    createdAt: 1,
    ...about,
  };
}

/** A new user, without the cost of hashing a password. */
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

/** The current viewer object of a user. */
export async function getViewer(ctx: Ctx, id: UserId): Promise<Viewer> {
  const user = await findUser(ctx, id);
  if (user === undefined) throw new Error(`nobody has the id ${id}`);
  return user;
}

/** A page of a user's home; for a retweet, its original. */
export async function readHomePage(ctx: Ctx, id: UserId, before?: Stamp): Promise<Page<Tweet>> {
  return tweetsOf(await homeFeed(ctx, await getViewer(ctx, id), { before }));
}

/** A page of an author's tweets, as a visitor sees it. */
export async function readUserPage(ctx: Ctx, author: UserId, before?: Stamp): Promise<Page<Tweet>> {
  return tweetsOf(await userFeed(ctx, author, { viewer: undefined, before }));
}

/** The same as the user sees it. */
export async function readOwnPage(ctx: Ctx, author: UserId, before?: Stamp): Promise<Page<Tweet>> {
  return tweetsOf(await userFeed(ctx, author, { viewer: { id: author }, before }));
}

/** A page of the public list, as a visitor sees it. */
export async function readGlobalPage(ctx: Ctx, before?: Stamp): Promise<Page<Tweet>> {
  return tweetsOf(await globalFeed(ctx, { viewer: undefined, before }));
}

function tweetsOf({ items, older }: Page<FeedItem>): Page<Tweet> {
  return { items: items.map((item) => item.tweet), older };
}

/** Ids on all pages of a user's home; for a retweet, its own id. */
export async function readHomeIds(ctx: Ctx, user: UserId): Promise<TweetId[]> {
  const viewer = await getViewer(ctx, user);
  const items = await readAll((before) => homeFeed(ctx, viewer, { before }));
  return items.map(({ tweet, retweet }) => (retweet ?? tweet).id);
}

/** Entries of a stored home timeline with scores, including the floor. */
export async function storedHome(ctx: Ctx, user: UserId): Promise<string[]> {
  return await ctx.redis.zrange(keys.homeTimeline(user), 0, "-1", "WITHSCORES");
}

/** Removes a home timeline, as its TTL does. */
export async function expireHome(ctx: Ctx, user: UserId): Promise<void> {
  await ctx.redis.del(keys.homeTimeline(user));
}

/** Moves the start of a session into the past, by the clock of Redis. */
export async function backdateSession(ctx: Ctx, user: UserId, session: string, seconds: number) {
  const stamp = (Date.now() - seconds * 1000) * 1000;
  await ctx.redis.zadd(keys.sessions(user), "XX", stamp, session);
}
