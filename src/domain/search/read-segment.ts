import { LRUCache } from "lru-cache";
import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import type { Entry, Range } from "../page.ts";
import { perClient } from "../per-client.ts";
import type { Tweet } from "../tweets/tweet.ts";
import { beginnings, blockSize, bucketOf, isLongTerm } from "./build-segment.ts";
import { inAll, lastUpTo, unpackAscending, unpackNumbers } from "./numbers.ts";
import { isReadAfter, type Segment } from "./segments.ts";

/** Bytes of segments in the memory of a process: they never change. */
const bytesKept = 16 * 1024 * 1024;
const entryBytes = 200;
/** Stands for a field that is not there. */
const absent = Buffer.alloc(0);
const fieldsKept = perClient(
  () =>
    new LRUCache<string, Buffer>({
      maxSize: bytesKept,
      sizeCalculation: ({ length }, name) => entryBytes + length + name.length,
    }),
);

async function readField(ctx: Ctx, key: string, field: string): Promise<Buffer> {
  const kept = fieldsKept(ctx);
  const name = `${key} ${field}`;
  const known = kept.get(name);
  if (known !== undefined) return known;
  const bytes = (await ctx.redis.hgetBuffer(key, field)) ?? absent;
  kept.set(name, bytes);
  return bytes;
}

/** Positions, in the order of stamps, of the tweets of a segment that have all terms. */
export async function positionsIn(
  ctx: Ctx,
  segment: Segment,
  terms: readonly string[],
): Promise<readonly number[]> {
  if (segment.buckets === 0) return [];
  return inAll(await Promise.all(terms.map((term) => positionsOf(ctx, segment, term))));
}

async function positionsOf(ctx: Ctx, segment: Segment, term: string): Promise<number[]> {
  const { token } = segment;
  if (!isLongTerm(term)) {
    const bytes = await readField(ctx, keys.sealedTerms(token, bucketOf(segment, term)), term);
    if (bytes === absent || bytes.length > 0) return unpackAscending(bytes);
  }
  return unpackAscending(await readField(ctx, keys.sealedLong(token), term));
}

/**
 * The tweets at these positions that are in the range, in its order: at least `limit` unless there are no more, with all
 * that share the stamp of the last. Reads only the blocks that it needs.
 */
export async function entriesAt(
  ctx: Ctx,
  segment: Segment,
  positions: readonly number[],
  range: Range,
): Promise<Entry[]> {
  const { before = Infinity, after = 0, upwards, limit } = range;
  const firsts =
    before > segment.newest && after < segment.oldest ? [] : await firstsOf(ctx, segment);
  // The blocks at the ends of the range may be in it in part.
  const low = blockSize * Math.max(0, lastUpTo(firsts, after));
  const high = before > segment.newest ? Infinity : blockSize * (lastUpTo(firsts, before) + 1);
  const wanted = positions.slice(
    lastUpTo(positions, low - 1) + 1,
    lastUpTo(positions, high - 1) + 1,
  );
  if (upwards !== true) wanted.reverse();
  const entries: Entry[] = [];
  for (let from = 0; from < wanted.length; from += limit) {
    const edge = entries[limit - 1]?.stamp;
    if (edge !== undefined && entries.at(-1)?.stamp !== edge) break;
    const some = await Promise.all(
      wanted.slice(from, from + limit).map((position) => entryAt(ctx, segment, position)),
    );
    entries.push(...some.filter(({ stamp }) => stamp < before && stamp > after));
  }
  return entries;
}

async function entryAt(ctx: Ctx, segment: Segment, position: number): Promise<Entry> {
  const block = await readBlock(ctx, segment, Math.floor(position / blockSize));
  return block[position % blockSize] ?? { id: "0", stamp: 0 };
}

/** The position of a tweet; undefined if the segment lacks it. */
export async function positionOf(
  ctx: Ctx,
  segment: Segment,
  { id, stamp }: Entry,
): Promise<number | undefined> {
  const firsts = await firstsOf(ctx, segment);
  // Tweets that share a stamp may be in two blocks.
  for (let nth = lastUpTo(firsts, stamp); nth >= 0; nth -= 1) {
    const block = await readBlock(ctx, segment, nth);
    const at = block.findIndex((one) => one.id === id);
    if (at !== -1) return nth * blockSize + at;
    if ((firsts[nth] ?? 0) < stamp) return undefined;
  }
  return undefined;
}

/** Whether a segment has a tweet with the words of today. */
export async function isIn(ctx: Ctx, segment: Segment, tweet: Tweet): Promise<boolean> {
  if (!isReadAfter(segment, tweet)) return false;
  const entry = { id: tweet.id, stamp: tweet.createdAt };
  return (await positionOf(ctx, segment, entry)) !== undefined;
}

/** All tweets of a segment, by position. */
export async function tweetsOf(ctx: Ctx, segment: Segment): Promise<Entry[]> {
  const firsts = await firstsOf(ctx, segment);
  const blocks = await Promise.all(firsts.map((_, nth) => readBlock(ctx, segment, nth)));
  return blocks.flat();
}

async function firstsOf(ctx: Ctx, { token }: Segment): Promise<number[]> {
  return unpackAscending(await readField(ctx, keys.sealedOrder(token), beginnings));
}

async function readBlock(ctx: Ctx, { token }: Segment, nth: number): Promise<Entry[]> {
  const numbers = unpackNumbers(await readField(ctx, keys.sealedOrder(token), String(nth)));
  const entries: Entry[] = [];
  let [stamp, id] = [0, 0];
  for (let at = 0; at + 1 < numbers.length; at += 2) {
    const distance = numbers[at + 1] ?? 0;
    stamp += numbers[at] ?? 0;
    id += distance % 2 === 1 ? -(distance + 1) / 2 : distance / 2;
    entries.push({ id: String(id), stamp });
  }
  return entries;
}
