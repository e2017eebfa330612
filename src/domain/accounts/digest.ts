import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { homeFeed } from "../feeds/feeds.ts";
import { parseUserId, type TweetId, type UserId, userId, type Stamp, stampAt } from "../ids.ts";
import { countUnreadConversations } from "../messages/conversations.ts";
import { countUnreadGroups } from "../notifications/grouped.ts";
import { readEntries } from "../page.ts";
import { sealWith } from "../secrets.ts";
import { audienceOf } from "../tweets/audience.ts";
import { readCounts } from "../tweets/reactions.ts";
import { shownFirst } from "../tweets/tweet.ts";
import { findUsers, type User } from "../users/store.ts";

const week = 7 * 24 * 60 * 60 * 1000;
/** Mails that are promised at a time; the others come with the next chore. */
const atOnce = 500;
/** Pages of home that are looked at, and tweets in a mail. */
const pagesRead = 3;
const tweetsShown = 5;

/** Turns the weekly mail on or off. Its entry in the list is the truth, with the time of the next one. May run twice. */
export async function chooseDigest({ redis, ...ctx }: Ctx, user: UserId, isWanted: boolean) {
  if (isWanted) await redis.zadd(keys.digests, "NX", ctx.now() + week, user);
  else await redis.zrem(keys.digests, user);
}

export async function wantsDigest({ redis }: Ctx, user: UserId): Promise<boolean> {
  return (await redis.zscore(keys.digests, user)) !== null;
}

/** The chore: promises the mails that are due. A mail is promised once for each time it is due. */
export async function promiseDigests(ctx: Ctx): Promise<void> {
  const range = { before: ctx.now() + 1, limit: atOnce, upwards: true };
  for (const { id, stamp: due } of await readEntries(ctx.redis, keys.digests, range))
    await ctx.jobs.mail({ kind: "digest", user: userId(id), due });
}

/** Claims the mail that is due at this time: true once. The next one is due in a week at the earliest. */
export async function claimDigest({ redis, ...ctx }: Ctx, user: UserId, due: number) {
  if (Number(await redis.zscore(keys.digests, user)) !== due) return false;
  if ((await redis.zadd(keys.digests, "XX", "GT", "CH", due + week, user)) !== 1) return false;
  await redis.zadd(keys.digests, "XX", "GT", ctx.now() + week, user);
  return true;
}

/** For a mail that was certainly not sent: it is due again, unless it was turned off meanwhile. */
export async function releaseDigest({ redis }: Ctx, user: UserId, due: number): Promise<void> {
  await redis.zadd(keys.digests, "XX", due, user);
}

/**
 * What a user has missed in the last week: new notifications and messages, as numbers, and the liveliest tweets at home
 * that were not marked as read. Only public ones, by authors who do not protect their account, which no filter of the
 * user folds. `text`: the content warning in its place, if there is one.
 */
export async function findMissed(ctx: Ctx, user: User) {
  const since = Math.max(stampAt(ctx.now() - week, "0"), user.homeRead);
  const recent = (await readHome(ctx, user, since)).filter(
    ({ tweet, retweet, warnings }) =>
      retweet === undefined &&
      warnings === undefined &&
      tweet.author !== user.id &&
      audienceOf(tweet) === "public",
  );
  const tweets = recent.map(({ tweet }) => tweet);
  const ids = tweets.map(({ id }) => id);
  const authorIds = tweets.map(({ author }) => author);
  const [authors, counts] = await Promise.all([findUsers(ctx, authorIds), readCounts(ctx, ids)]);
  const reactionsTo = (id: TweetId) => {
    const { likes = 0, retweets = 0, replies = 0 } = counts.get(id) ?? {};
    return likes + retweets + replies;
  };
  const missed = tweets
    .toSorted((one, other) => reactionsTo(other.id) - reactionsTo(one.id))
    .flatMap((tweet) => {
      const author = authors.get(tweet.author);
      const isShown = author !== undefined && !author.protected && shownFirst(tweet) !== "";
      return isShown ? [{ author, text: shownFirst(tweet), id: tweet.id }] : [];
    });
  const [notifications, messages] = await Promise.all([
    countUnreadGroups(ctx, user),
    countUnreadConversations(ctx, user),
  ]);
  return { notifications, messages, tweets: missed.slice(0, tweetsShown) };
}

async function readHome(ctx: Ctx, user: User, since: Stamp) {
  const items = [];
  let before: Stamp | undefined;
  for (let page = 0; page < pagesRead; page += 1) {
    const feed = await homeFeed(ctx, user, { before });
    items.push(...feed.items);
    before = feed.older;
    if (before === undefined || before <= since) break;
  }
  return items.filter(({ stamp }) => stamp > since);
}

/** The end of the address that ends the mails of a user: nobody can make that of another. */
export function digestToken({ config }: Ctx, user: UserId): string {
  return `${user}.${sealOf(config.sessionSecret).close("", user)}`;
}

export function userOfDigestToken({ config }: Ctx, token: string): UserId | undefined {
  const [id = "", sealed = ""] = token.split(".");
  const user = parseUserId(id);
  const isOurs = sealOf(config.sessionSecret).open(sealed, id) !== undefined;
  return isOurs ? user : undefined;
}

function sealOf(secret: string | undefined) {
  if (secret === undefined) throw new TypeError("no SESSION_SECRET, see boot.ts");
  return sealWith(secret, "weekly mail");
}
