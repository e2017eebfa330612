import type { Ctx } from "../../context.ts";
import { type Command, exec } from "../../redis/exec.ts";
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
export const levels: readonly number[] = [512, 4096, 32_768];

/** A segment is made anew if this share of its tweets has changed, or if a change is this old. */
const changedShare = 8;
const changedMicroseconds = 30 * 24 * 60 * 60 * 1e6;
/** Changes of all segments that one look reads. */
const changesRead = 20_000;
/** Notes of what waits that are worked on at a time. */
const notesAtOnce = 512;
/** A segment is made anew because of changes at most once in this time. */
const restMicroseconds = 10 * 60 * 1e6;

/**
 * The job: one step, then the promise of the next, until all tweets but the newest are in segments, few and large ones. A
 * step may run twice, at the same time as itself, and end anywhere: what is not committed is deleted an hour later, and
 * open lists lose only what a committed segment has.
 */
export async function sealTweets(ctx: Ctx, sizes = levels): Promise<void> {
  if (await sealStep(ctx, sizes)) await ctx.jobs.chore("seal-tweets", {});
}

/** False if there is nothing to do. */
export async function sealStep(ctx: Ctx, sizes = levels): Promise<boolean> {
  await removeRemains(ctx);
  const { segments } = await readSegments(ctx);
  const open = segments.find(({ swept }) => !swept);
  if (open !== undefined) {
    await sweep(ctx, open);
    return true;
  }
  const neighbours = mergeable(segments, sizes);
  if (neighbours.length > 0) {
    await rebuild(ctx, neighbours, (neighbours[0]?.level ?? 0) + 1);
    return true;
  }
  const last = Number(await ctx.redis.get(keys.tweetIds));
  const first = endOf(segments);
  // A larger one than the last would keep that from being merged.
  const largest = segments.at(-1)?.level ?? sizes.length;
  const level = sizes.findLastIndex((size, at) => at <= largest && first + size <= last + 1);
  if (level !== -1) {
    const ids = { first, end: first + (sizes[level] ?? 0), level };
    await commit(ctx, await buildSegment(ctx, ids, (some) => markAll(ctx, some)), []);
    return true;
  }
  const old = await changed(ctx, segments);
  if (old.length > 0) await rebuild(ctx, old);
  return old.length > 0;
}

/** Makes one segment of neighbours, or of one anew. */
export async function rebuild(
  ctx: Ctx,
  old: readonly Segment[],
  level = old[0]?.level ?? 0,
): Promise<void> {
  const ids = { first: old[0]?.first ?? 1, end: endOf(old), level };
  await commit(ctx, await buildSegment(ctx, ids), old);
}

/** Lets the sweep find them all: an earlier version noted nothing. */
async function markAll(ctx: Ctx, ids: TweetId[]): Promise<void> {
  const now = ctx.now() * 1000;
  const commands = ids.map((id): Command => ["zadd", keys.unsealed, id, `${id}:${now}`]);
  for (let from = 0; from < ids.length; from += 1000)
    await exec(ctx.redis, commands.slice(from, from + 1000));
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

/** A segment with many changes, or an old one: texts of today have other words, or are gone. */
async function changed(ctx: Ctx, segments: readonly Segment[]): Promise<readonly Segment[]> {
  const range = ["-inf", `(${endOf(segments)}`, "BYSCORE", "LIMIT", 0, changesRead] as const;
  const changes = (await ctx.redis.zrange(keys.unsealed, ...range)).map((one) =>
    one.split(":").map(Number),
  );
  const now = ctx.now() * 1000;
  const found = segments.find(({ first, end, built }) => {
    if (now - built < restMicroseconds) return false;
    const some = changes.filter(([id = 0]) => id >= first && id < end);
    const isOld = some.some(([, at = now]) => now - at > changedMicroseconds);
    return isOld || some.length * changedShare > end - first;
  });
  return found === undefined ? [] : [found];
}

/**
 * Takes out of the open lists what a new segment has. Late and edited tweets stay there, and what is noted of deleted
 * ones, until the segment is made anew.
 */
async function sweep(ctx: Ctx, segment: Segment): Promise<void> {
  const { first, end } = segment;
  const sealed = new Set((await tweetsOf(ctx, segment)).map(({ id }) => id));
  const members = await ctx.redis.zrange(keys.unsealed, first, `(${end}`, "BYSCORE");
  const notes = members.map((member) => {
    const [id = "", at] = member.split(":");
    return { member, id: tweetId(id), at: Number(at) };
  });
  for (let from = 0; from < notes.length; from += notesAtOnce)
    await sweepSome(ctx, segment, { notes: notes.slice(from, from + notesAtOnce), sealed });
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
  if (over.length > 0) await ctx.redis.zrem(keys.unsealed, ...over);
}

/** Those that exist and have words. */
async function readWords(ctx: Ctx, ids: TweetId[]): Promise<Map<TweetId, Tweet>> {
  const tweets = (await readTweets(ctx, ids)).filter((tweet) => tweet !== undefined);
  const worded = tweets.filter((tweet) => indexedAs(tweet).terms.length > 0);
  return new Map(worded.map((tweet) => [tweet.id, tweet]));
}
