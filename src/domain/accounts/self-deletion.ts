import type { Chores, Ctx } from "../../context.ts";
import { forEachOf } from "../concurrency-limit.ts";
import { execEach } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { removeTweet } from "../actions/delete-tweet.ts";
import { tweetId, type UserId, userId, type Stamp, stampAt } from "../ids.ts";
import { readEntries } from "../page.ts";
import { readTweets } from "../tweets/store.ts";
import type { Tweet } from "../tweets/tweet.ts";
import type { Holder, Right } from "../scope.ts";
import { endedRight, mayGoOn, presentRight } from "../users/promised.ts";
import { readUser } from "../users/store.ts";
import { pagesOf } from "./export-rows.ts";

/** Tweets that stay however old they are. */
export const exceptions = ["pinned", "bookmarked", "liked"] as const;
type Exception = (typeof exceptions)[number];

/** When tweets of a user delete themselves: after so many days, without those that stay. */
export interface SelfDeletion {
  days: number;
  keeps: readonly Exception[];
}

/** The choice as it is stored. `since` names it: a job of an earlier choice does nothing. */
interface Stored extends SelfDeletion {
  since: number;
  /** By which it goes on; then it waits until it is saved again. */
  right?: Right | undefined;
}

/** One step of the job. */
type OldTweets = Chores["delete-old-tweets"];

const dayMilliseconds = 24 * 60 * 60 * 1000;
/** Tweets in one step, and how many of them are deleted at a time. */
const tweetsInStep = 100;
const atOnce = 10;
/** Users in one round trip, and promises of their jobs at a time. */
const usersAtOnce = 500;
const promisesAtOnce = 100;
/** Tweets that the preview looks at. */
const previewed = 1000;
const lists = ["userTimeline", "sentMessages"] as const;

/** Undefined: tweets stay, unless the host has a bound. */
export async function findSelfDeletion(ctx: Ctx, user: UserId): Promise<Stored | undefined> {
  const stored = await ctx.redis.hget(keys.user(user), "self_deletion");
  return stored === null ? undefined : (JSON.parse(stored) as Stored);
}

/** From now on tweets delete themselves so, or (undefined) stay. The first are deleted at once, by a job. */
export async function chooseSelfDeletion(
  ctx: Ctx,
  user: UserId,
  choice: SelfDeletion | undefined,
): Promise<void> {
  const key = keys.user(user);
  if (choice === undefined) {
    await ctx.redis.hdel(key, "self_deletion");
    await ctx.redis.zrem(keys.selfDeleting, user);
    return;
  }
  const stored: Stored = { ...choice, since: ctx.now(), right: await presentRight(ctx, user) };
  const first: OldTweets = { user, since: stored.since, list: "userTimeline", after: 0 };
  await ctx.redis.zadd(keys.selfDeleting, stored.since, user);
  await ctx.jobs.chore("delete-old-tweets", first, "later");
  await ctx.redis.setField(key, "self_deletion", JSON.stringify(stored));
}

/** The choice waits if one of these holders made it, until it is saved again. May run twice. */
export async function endSelfDeletion(
  ctx: Ctx,
  user: UserId,
  isOver: (holder: Holder) => boolean,
): Promise<void> {
  const choice = await findSelfDeletion(ctx, user);
  const right = endedRight(choice?.right, isOver);
  if (choice === undefined || right === undefined) return;
  const [before, after] = [JSON.stringify(choice), JSON.stringify({ ...choice, right })];
  await ctx.redis.updateAnyway(keys.user(user), "self_deletion", before, "self_deletion", after);
}

/**
 * How many tweets would go now (of the oldest thousand of each list), the newest of them, and whether there are more to
 * look at.
 */
export async function previewSelfDeletion(
  ctx: Ctx,
  user: UserId,
  choice: SelfDeletion | undefined,
) {
  const old = await Promise.all(
    lists.map((list) => readOld(ctx, user, choice, { list, after: 0, limit: previewed })),
  );
  const going = old.flatMap((some) => some.going);
  const newest = going.toSorted((one, other) => other.createdAt - one.createdAt)[0];
  return { count: going.length, newest, isCut: old.some(({ next }) => next !== undefined) };
}

/** The chore: deletes the next tweets that are too old, and promises the rest. May run twice. */
export async function deleteOldTweets(ctx: Ctx, work: OldTweets): Promise<void> {
  const { user, since, list, after } = work;
  const [stored, author] = await Promise.all([findSelfDeletion(ctx, user), readUser(ctx, user)]);
  const choice = mayGoOn(author, stored?.right) ? stored : undefined;
  // A newer choice may not have been stored in the end: then this one goes on.
  const isOutdated =
    since === 0 ? ctx.config.tweetDays === 0 : choice === undefined || choice.since > since;
  if (isOutdated || author === undefined) return;
  const { going, next } = await readOld(ctx, user, choice, { list, after, limit: tweetsInStep });
  await forEachOf(going, atOnce, (tweet) => removeTweet(ctx, tweet));
  if (next !== undefined) await ctx.jobs.chore("delete-old-tweets", { ...work, after: next });
  else if (list === "userTimeline")
    await ctx.jobs.chore("delete-old-tweets", { ...work, list: "sentMessages", after: 0 });
}

/** The daily chore: looks at the users who want it, and at all who have tweets older than the host's bound. */
export async function findOldTweets(ctx: Ctx, alive: () => void): Promise<void> {
  const promise = async (user: UserId, since: number) =>
    await ctx.jobs.chore("delete-old-tweets", { user, since, list: "userTimeline", after: 0 });
  for await (const page of pagesOf(ctx, keys.selfDeleting, async (_, entries) => entries)) {
    await forEachOf(page, promisesAtOnce, ({ id, stamp: since }) => promise(userId(id), since));
    alive();
  }
  if (ctx.config.tweetDays > 0) await boundTweets(ctx, alive);
}

/** A few commands for each thousand users. */
async function boundTweets(ctx: Ctx, alive: () => void): Promise<void> {
  const before = cutOff(ctx, ctx.config.tweetDays);
  const oldestOne = [1, `(${before}`, "BYSCORE", "LIMIT", 0, 1] as const;
  const last = Number(await ctx.redis.get(keys.userIds));
  for (let from = 1; from <= last; from += usersAtOnce) {
    const count = Math.min(usersAtOnce, last + 1 - from);
    const users = Array.from({ length: count }, (_, nth) => userId(from + nth));
    const owners = users.flatMap((user) => lists.map((list) => ({ user, key: keys[list](user) })));
    const oldest = await execEach(ctx.redis, owners, ({ key }) => ["zrange", key, ...oldestOne]);
    const late = new Set(
      owners.flatMap(({ user }, nth) => ((oldest[nth] as string[]).length > 0 ? [user] : [])),
    );
    for (const user of late)
      await ctx.jobs.chore("delete-old-tweets", { user, since: 0, list: "userTimeline", after: 0 });
    alive();
  }
}

function cutOff(ctx: Ctx, days: number): Stamp {
  return stampAt(ctx.now() - days * dayMilliseconds, "0");
}

/** Rules by which tweets of a user go: the user's choice and the host's bound. What one of them keeps, the other may not. */
function rulesFor(ctx: Ctx, choice: SelfDeletion | undefined) {
  const { tweetDays } = ctx.config;
  const bound = tweetDays === 0 ? undefined : { days: tweetDays, keeps: exceptions };
  return [choice, bound]
    .filter((rule) => rule !== undefined)
    .map(({ days, keeps }) => ({ before: cutOff(ctx, days), keeps }));
}

/**
 * Reads the next tweets of a list that are old enough, the oldest first, and finds those that go by any rule. `next`: the
 * stamp after which there may be more.
 */
async function readOld(
  ctx: Ctx,
  user: UserId,
  choice: SelfDeletion | undefined,
  { list, after, limit }: Pick<OldTweets, "list" | "after"> & { limit: number },
): Promise<{ going: Tweet[]; next: Stamp | undefined }> {
  const rules = rulesFor(ctx, choice);
  const before = Math.max(1, ...rules.map((rule) => rule.before));
  const range = { before, after, limit, upwards: true };
  const entries = await readEntries(ctx.redis, keys[list](user), range);
  const ids = entries.map(({ id }) => tweetId(id));
  if (ids.length === 0) return { going: [], next: undefined };
  const [tweets, author, bookmarked, liked] = await Promise.all([
    readTweets(ctx, ids),
    readUser(ctx, user),
    ctx.redis.zmscore(keys.bookmarks(user), ...ids),
    ctx.redis.zmscore(keys.likes(user), ...ids),
  ]);
  const going = entries.flatMap(({ stamp }, nth) => {
    const tweet = tweets[nth];
    const reasons: Record<Exception, boolean> = {
      pinned: tweet?.id === author?.pinned,
      bookmarked: (bookmarked[nth] ?? null) !== null,
      liked: (liked[nth] ?? null) !== null,
    };
    const goes = rules.some(
      (rule) => stamp < rule.before && !rule.keeps.some((reason) => reasons[reason]),
    );
    return tweet !== undefined && goes ? [tweet] : [];
  });
  return { going, next: entries.length < limit ? undefined : entries.at(-1)?.stamp };
}
