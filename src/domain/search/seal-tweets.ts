import type { Ctx } from "../../context.ts";
import { inBatches } from "../concurrency-limit.ts";
import { type Command, exec, execEach } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { type TweetId, tweetId } from "../ids.ts";
import { readTweets } from "../tweets/store.ts";
import type { Tweet } from "../tweets/tweet.ts";
import { buildSegment } from "./build-segment.ts";
import { closeLists, indexedAs, listUnderTerms } from "./index-tweet.ts";
import { tweetsOf } from "./read-segment.ts";
import {
  commit,
  endOf,
  isReadAfter,
  noteSwept,
  readSegments,
  removeRemains,
  type Segment,
} from "./segments.ts";

/** Ids of a segment of each level: that of the first is what open lists hold, the last bounds the memory of the job. */
export const levels: readonly [number, ...number[]] = [512, 2048, 8192, 32_768];

/** A minute: a tweet that is listed after it was sealed has its segment made anew. */
const minAge = 60e6;
/** A segment is made anew if this share of its tweets has changed, or if a change is this old. */
const changedShare = 8;
const hourMicroseconds = 60 * 60 * 1e6;
const changedMicroseconds = 30 * 24 * hourMicroseconds;
/** Changes of all segments that one look reads. */
const changesRead = 20_000;
/** Notes of what waits that are worked on at a time: some 20 ms of a processor. */
const notesAtOnce = 100;
/** A segment is made anew because of changes at most once in this time. */
const restMicroseconds = 10 * 60 * 1e6;

interface SealOptions {
  sizes?: readonly number[];
  /** Microseconds: of younger tweets some may not be delivered yet. */
  age?: number;
  /** Called while it goes on: a job that is silent for long counts as hung. */
  alive?: () => void;
}

/**
 * The job: steps, until all tweets but the newest are in segments, few and large ones. There is one for the site; where it
 * runs twice all the same, or ends anywhere, no harm is done: what is not committed is deleted an hour later, and open
 * lists lose only what a committed segment has. Workers promise it each hour.
 */
export async function sealTweets(ctx: Ctx, options: SealOptions = {}): Promise<void> {
  while (await sealStep(ctx, options)) options.alive?.();
}

/** False if there is nothing to do, or another process did it. */
export async function sealStep(
  ctx: Ctx,
  { sizes = levels, age = minAge, alive = () => {} }: SealOptions = {},
): Promise<boolean> {
  await removeRemains(ctx);
  const { segments } = await readSegments(ctx);
  const open = segments.find(({ swept }) => !swept);
  if (open !== undefined) {
    await sweep(ctx, open, alive);
    return true;
  }
  const neighbours = mergeable(segments, sizes);
  if (neighbours.length > 0) {
    return await rebuild(ctx, neighbours, { level: (neighbours[0]?.level ?? 0) + 1, alive });
  }
  const last = Number(await ctx.redis.get(keys.tweetIds));
  const first = endOf(segments);
  // A larger one than the last would keep that from being merged.
  const largest = segments.at(-1)?.level ?? sizes.length;
  const level = sizes.findLastIndex((size, at) => at <= largest && first + size <= last + 1);
  const end = first + (sizes[level] ?? 0);
  if (level !== -1 && (await isOlder(ctx, tweetId(end - 1), age))) {
    const ids = { first, end, level };
    const prepare = (some: TweetId[]) => markAll(ctx, some);
    return await commit(ctx, await buildSegment(ctx, ids, { prepare, alive }), []);
  }
  const old = await changed(ctx, segments);
  return old !== undefined && (await rebuild(ctx, [old], { alive }));
}

/** Whether a tweet has this age; true if it is gone. */
async function isOlder(ctx: Ctx, tweet: TweetId, age: number): Promise<boolean> {
  const createdAt = Number(await ctx.redis.hget(keys.tweet(tweet), "created_at"));
  return ctx.now() * 1000 - createdAt >= age;
}

/** Makes one segment of neighbours, or of one anew. False if another process was faster. */
export async function rebuild(
  ctx: Ctx,
  old: readonly Segment[],
  { level = old[0]?.level ?? 0, alive = () => {} } = {},
): Promise<boolean> {
  const ids = { first: old[0]?.first ?? 1, end: endOf(old), level };
  return await commit(ctx, await buildSegment(ctx, ids, { alive }), old);
}

/** Lets the sweep find them all: an earlier version noted nothing. */
async function markAll(ctx: Ctx, ids: TweetId[]): Promise<void> {
  const now = ctx.now() * 1000;
  const commands = ids.map((id): Command => ["zadd", keys.unsealed, id, `${id}:${now}`]);
  for (const some of inBatches(commands, 1000)) await exec(ctx.redis, some);
}

/** Neighbours of one level that together are one of the next. */
function mergeable(segments: readonly Segment[], sizes: readonly number[]): Segment[] {
  for (const [at, { level, first }] of segments.entries()) {
    const size = sizes[level + 1] ?? Infinity;
    const count = segments
      .slice(at)
      .findIndex((one) => one.level !== level || one.end - first >= size);
    const run = segments.slice(at, at + count + 1);
    if (run.at(-1)?.level === level && run.length > 1) return run;
  }
  return [];
}

function countIn({ first, end }: Segment): Command {
  return ["zcount", keys.unsealed, first, `(${end}`];
}

/**
 * A segment with many changes, or an old one: texts of today have other words, or are gone. Old ones are looked for from
 * another segment on each hour, as one look reads a part of the changes.
 */
async function changed(ctx: Ctx, segments: readonly Segment[]): Promise<Segment | undefined> {
  const now = ctx.now() * 1000;
  const counts = await execEach(ctx.redis, segments, countIn);
  const rested = segments
    .map((segment, nth) => ({ ...segment, count: Number(counts[nth]) }))
    .filter(({ count, built }) => count > 0 && now - built >= restMicroseconds);
  const many = rested.findIndex(({ first, end, count }) => count * changedShare > end - first);
  if (many !== -1) return rested[many];
  const turn = Math.floor(now / hourMicroseconds) % Math.max(1, rested.length);
  let read = 0;
  for (const segment of [...rested.slice(turn), ...rested.slice(0, turn)]) {
    const { first, end, count } = segment;
    if ((read += count) > changesRead && read > count) return undefined;
    const members = await ctx.redis.zrange(keys.unsealed, first, `(${end}`, "BYSCORE");
    const isOld = members.some(
      (member) => now - Number(member.split(":")[1]) > changedMicroseconds,
    );
    if (isOld) return segment;
  }
  return undefined;
}

/**
 * Takes out of the open lists what a new segment has. Late and edited tweets stay there, and what is noted of deleted
 * ones, until the segment is made anew.
 */
async function sweep(ctx: Ctx, segment: Segment, alive: () => void): Promise<void> {
  const { first, end } = segment;
  const sealed = new Set((await tweetsOf(ctx, segment)).map(({ id }) => id));
  const members = await ctx.redis.zrange(keys.unsealed, first, `(${end}`, "BYSCORE");
  const notes = members.map((member) => {
    const [id = "", at] = member.split(":");
    return { member, id: tweetId(id), at: Number(at) };
  });
  for (const some of inBatches(notes, notesAtOnce)) {
    await sweepSome(ctx, segment, { notes: some, sealed });
    alive();
  }
  await noteSwept(ctx, segment);
}

interface Swept {
  notes: { member: string; id: TweetId; at: number }[];
  sealed: ReadonlySet<string>;
}

async function sweepSome(ctx: Ctx, segment: Segment, { notes, sealed }: Swept): Promise<void> {
  const ids = [...new Set(notes.map(({ id }) => id))];
  const before = await readWords(ctx, ids);
  const isDone = (id: TweetId) => {
    const tweet = before.get(id);
    return tweet === undefined ? !sealed.has(id) : sealed.has(id) && isReadAfter(segment, tweet);
  };
  const closed = [...before.values()].filter(({ id }) => isDone(id));
  await closeLists(ctx, closed.map(indexedAs));
  // An edit may have listed its words before they were taken out, now or by a run that was killed.
  const after = await readWords(ctx, ids);
  const over: string[] = [];
  const again = new Map<TweetId, Tweet>();
  for (const { member, id, at } of notes) {
    const tweet = after.get(id);
    const edited = tweet?.editedAt ?? 0;
    const isLate = isDone(id) ? edited !== (before.get(id)?.editedAt ?? 0) : at < edited;
    if (isLate && tweet !== undefined) again.set(id, tweet);
    if (isLate || isDone(id)) over.push(member);
  }
  for (const tweet of again.values()) await listUnderTerms(ctx, tweet);
  // One that was deleted meanwhile may have left the lists before; an edit lists its words itself.
  const left = await readWords(ctx, [...again.keys()]);
  for (const [id, tweet] of again)
    if (!left.has(id)) await ctx.jobs.chore("unindex-tweet", indexedAs(tweet));
  if (over.length > 0) await ctx.redis.zrem(keys.unsealed, ...over);
}

/** Those that exist and have words. */
async function readWords(ctx: Ctx, ids: TweetId[]): Promise<Map<TweetId, Tweet>> {
  const tweets = (await readTweets(ctx, ids)).filter((tweet) => tweet !== undefined);
  const worded = tweets.filter((tweet) => indexedAs(tweet).terms.length > 0);
  return new Map(worded.map((tweet) => [tweet.id, tweet]));
}
