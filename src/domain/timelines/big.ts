import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys, mostOf } from "../../redis/keys.ts";
import { packed } from "../../redis/packed.ts";
import { currentScope, withoutCachingNow } from "../scope.ts";
import { followedAmong } from "../graph/follows.ts";
import { type UserId, userId, type Stamp } from "../ids.ts";
import { readerOf } from "../members.ts";
import { type Entry, type Range, toEntries } from "../page.ts";
import { perClient } from "../memo.ts";
import { floorMember, keptWhenCut } from "./home-store.ts";
import { bigMember, type TimelineTweet } from "./store.ts";

/**
 * Tweets of accounts with more than BIG_ACCOUNT_FOLLOWERS followers are not delivered. They are in one
 * timeline for all readers. Each process keeps a copy of it, and a home page takes from it the tweets of its
 * reader's followings. Tweets that were delivered or back-filled may be in it as well, as duplicates are
 * dropped: so an account may become big, or small again, at any time.
 */
const tweetsKept = mostOf("bigTimeline");
/** Microseconds. A tweet that is listed later than this after newer ones is found by the count, see refresh. */
const overlap = 60 * 1e6;
/**
 * The count misses a late tweet if another tweet leaves at the same time. Reading the whole timeline this
 * often finds it.
 */
const wholeMilliseconds = 60_000;
/** Authors per command. */
const authorsAtOnce = 1000;

type BigTweet = Entry & Pick<TimelineTweet, "author" | "inReplyToUser">;

interface BigTimeline {
  /** The same object until the timeline changes. */
  version: object | undefined;
  /** Time of the last read of the whole timeline. */
  wholeAt: number;
  /** Complete from this stamp upwards; 0 if it was never cut. */
  floor: Stamp;
  /** All tweets by member; `sorted`: newest first. */
  members: Map<string, BigTweet>;
  sorted: BigTweet[];
}

/** Concurrent callers share one read. */
interface Copies {
  copy?: BigTimeline;
  refreshing?: { version: object | undefined; copy: Promise<BigTimeline> };
}

const copiesOf = perClient<Copies>(() => ({}));

/** Lists a big account's tweet for its followers. May run twice. */
export async function addToBigTimeline(ctx: Ctx, placed: TimelineTweet): Promise<void> {
  const key = keys.bigTimeline;
  await ctx.redis.zadd(key, "NX", 0, floorMember);
  const [member, kept] = [bigMember(placed), keptWhenCut(tweetsKept)];
  await ctx.redis.deliver(key, member, placed.stamp, tweetsKept, kept, packed([key]));
}

/**
 * Tweets of big accounts that `user` follows, in reading order: at least `limit` unless there are no more. The
 * work is bounded by the timeline, however many big accounts there are or are followed.
 */
export async function bigEntries(ctx: Ctx, { sorted }: BigTimeline, user: UserId, range: Range) {
  const listed = inRange(sorted, range);
  const entries: Entry[] = [];
  for (let next = 0; next < listed.length && entries.length < range.limit;) {
    const batch = takeBatch(listed, next);
    next += batch.length;
    const followed = await followedAmong(ctx, user, batch.flatMap(namesOf));
    const concerns = ({ author, inReplyToUser }: BigTweet) =>
      followed.has(author) &&
      (inReplyToUser === undefined || inReplyToUser === user || followed.has(inReplyToUser));
    entries.push(...batch.filter(concerns));
  }
  return entries;
}

/** `sorted` is newest first; the result is in reading order. */
function inRange(sorted: BigTweet[], { before = Infinity, after = 0, upwards }: Range): BigTweet[] {
  const start = sorted.findIndex((tweet) => tweet.stamp < before);
  if (start === -1) return [];
  let end = start;
  while ((sorted[end]?.stamp ?? 0) > after) end += 1;
  const part = sorted.slice(start, end);
  return upwards === true ? part.toReversed() : part;
}

function namesOf({ author, inReplyToUser }: BigTweet): UserId[] {
  return inReplyToUser === undefined ? [author] : [author, inReplyToUser];
}

/** The next tweets, as many as have at most `authorsAtOnce` authors. */
function takeBatch(listed: BigTweet[], start: number): BigTweet[] {
  const authors = new Set<UserId>();
  let end = start;
  for (; end < listed.length; end += 1) {
    const tweet = listed[end];
    if (tweet === undefined) break;
    for (const author of namesOf(tweet)) authors.add(author);
    if (authors.size > authorsAtOnce) break;
  }
  return listed.slice(start, end);
}

const readVersion = readerOf<null, object>({
  key: () => keys.bigTimeline,
  command: ["zcard"],
  parse: (size) => ({ size }),
});

/** The timeline as it is now. It does not change later, so its floor and its tweets always agree. */
export async function readBig(ctx: Ctx): Promise<BigTimeline> {
  const version = await readVersion(ctx, null);
  const copies = copiesOf(ctx);
  const latest = copies.copy;
  if (latest !== undefined && latest.version === version) return latest;
  if (copies.refreshing !== undefined && copies.refreshing.version === version)
    return await copies.refreshing.copy;
  const isWhole =
    latest !== undefined && Math.abs(withoutCachingNow(ctx) - latest.wholeAt) < wholeMilliseconds;
  // Others wait for it, too: it does not end with this request.
  const copy = currentScope.exit(() => refresh(ctx, version, isWhole ? latest : undefined));
  const refreshing = { version, copy };
  copies.refreshing = refreshing;
  try {
    copies.copy = await copy;
    return copies.copy;
  } finally {
    if (copies.refreshing === refreshing) delete copies.refreshing;
  }
}

/** Reads the new tweets, or all if the count shows that more has changed. */
async function refresh(
  ctx: Ctx,
  version: object | undefined,
  known: BigTimeline | undefined,
): Promise<BigTimeline> {
  const newest = known?.sorted[0]?.stamp;
  const since = newest === undefined ? 1 : newest - overlap;
  // The floor is read after the tweets: if they are cut in between, it is too high, never too low.
  const [reply, floor, size] = await exec(ctx.redis, [
    ["zrange", keys.bigTimeline, since, "+inf", "BYSCORE", "WITHSCORES"],
    ["zscore", keys.bigTimeline, floorMember],
    ["zcard", keys.bigTimeline],
  ]);
  const members = new Map(known?.members);
  for (const { id, stamp } of toEntries(reply as string[]))
    if (id !== floorMember) members.set(id, toBigTweet(id, stamp));
  const counted = Math.max(0, Number(size) - 1);
  if (known !== undefined && members.size !== counted)
    return await refresh(ctx, version, undefined);
  const unchanged = known !== undefined && members.size === known.members.size;
  const sorted = unchanged
    ? known.sorted
    : [...members.values()].toSorted((one, other) => other.stamp - one.stamp);
  const wholeAt = known?.wholeAt ?? ctx.now();
  return { version, wholeAt, floor: Number(floor ?? 0), members, sorted };
}

function toBigTweet(member: string, stamp: Stamp): BigTweet {
  const [id = "", author = "", inReplyToUser] = member.split(":");
  return {
    id,
    stamp,
    author: userId(author),
    inReplyToUser: inReplyToUser === undefined ? undefined : userId(inReplyToUser),
  };
}
