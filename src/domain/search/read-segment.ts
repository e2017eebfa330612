import { LRUCache } from "lru-cache";
import type { Ctx } from "../../context.ts";
import { execEach } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import type { Entry, Range } from "../page.ts";
import { perClient } from "../memo.ts";
import type { Tweet } from "../tweets/tweet.ts";
import { beginnings, blockSize, bucketOf, isLongTerm } from "./build-segment.ts";
import { inAll, isAnyIn, lastUpTo, unpackAscending, unpackNumbers } from "./numbers.ts";
import { isReadAfter, type Segment } from "./segments.ts";

/** Bytes of segments in the memory of a process: they never change. */
const bytesKept = 16 * 1024 * 1024;
const entryBytes = 200;
/** Terms of a segment whose lists are compared, unless more are short: the text itself decides about the rest. */
const termsRead = 5;
/** Stands for a field that is not there. */
const absent = Buffer.alloc(0);
/** A field that is being read is asked for once: other searches wait for the same reply. */
const fieldsKept = perClient(
  () =>
    new LRUCache<string, Buffer, { ctx: Ctx; key: string; field: string }>({
      maxSize: bytesKept,
      sizeCalculation: ({ length }, name) => entryBytes + length + name.length,
      ignoreFetchAbort: true,
      fetchMethod: async (_name, _old, { context: { ctx, key, field } }) =>
        (await ctx.redis.hgetBuffer(key, field)) ?? absent,
    }),
);

async function readField(ctx: Ctx, key: string, field: string): Promise<Buffer> {
  const context = { ctx, key, field };
  return (await fieldsKept(ctx).fetch(`${key} ${field}`, { context })) ?? absent;
}

/**
 * Positions, in the order of stamps, of the tweets of a segment that have all terms; of many terms, the rarest ones. The
 * hashes have the short lists, and tell which terms no tweet has: long lists are read only if there can be any.
 */
export async function positionsIn(
  ctx: Ctx,
  segment: Segment,
  terms: readonly string[],
): Promise<readonly number[]> {
  if (segment.buckets === 0) return [];
  const long = keys.sealedLong(segment.token);
  const hashOf = (term: string) =>
    isLongTerm(term) ? long : keys.sealedTerms(segment.token, bucketOf(segment, term));
  const held = await Promise.all(terms.map((term) => readField(ctx, hashOf(term), term)));
  if (held.includes(absent)) return [];
  const short = held.filter(({ length }) => length > 0);
  const positions = inAll(short);
  const room = termsRead - short.length;
  if (room <= 0 || (short.length > 0 && positions.length === 0)) return positions;
  const common = terms.filter((_, nth) => held[nth]?.length === 0);
  const areAll = common.length <= room;
  const lengths = areAll ? [] : await execEach(ctx.redis, common, (one) => ["hstrlen", long, one]);
  const lengthOf = (term: string) => Number(lengths[common.indexOf(term)] ?? 0);
  const rarest = common.toSorted((one, other) => lengthOf(one) - lengthOf(other)).slice(0, room);
  const lists = await Promise.all(rarest.map((term) => readField(ctx, long, term)));
  return inAll([...short, ...lists]);
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
  const blockAt = blocksOf(ctx, segment);
  const entryAt = async (position: number) =>
    entryIn(await blockAt(Math.floor(position / blockSize)), position % blockSize);
  const entries: Entry[] = [];
  for (let from = 0; from < wanted.length; from += limit) {
    const edge = entries[limit - 1]?.stamp;
    if (edge !== undefined && entries.at(-1)?.stamp !== edge) break;
    for (const entry of await Promise.all(wanted.slice(from, from + limit).map(entryAt)))
      if (entry !== undefined && entry.stamp < before && entry.stamp > after) entries.push(entry);
  }
  return entries;
}

/**
 * Those of some tweets that a segment has, at one of the ascending positions if any are given: then no block without any
 * of these is read.
 */
export async function heldIn(
  ctx: Ctx,
  segment: Segment,
  entries: readonly Entry[],
  positions?: readonly number[],
): Promise<Entry[]> {
  if (positions?.length === 0) return [];
  const firsts = await firstsOf(ctx, segment);
  const blockAt = blocksOf(ctx, segment);
  const isWanted = (from: number, end: number) =>
    positions === undefined || isAnyIn(positions, from, end);
  const isHeld = async ({ id, stamp }: Entry) => {
    // Tweets that share a stamp may be in two blocks.
    for (let nth = lastUpTo(firsts, stamp); nth >= 0; nth -= 1) {
      const first = nth * blockSize;
      if (isWanted(first, first + blockSize)) {
        const at = placeIn(await blockAt(nth), Number(id));
        if (at !== -1) return isWanted(first + at, first + at + 1);
      }
      if ((firsts[nth] ?? 0) < stamp) return false;
    }
    return false;
  };
  const held = await Promise.all(entries.map(isHeld));
  return entries.filter((_, nth) => held[nth]);
}

/** Whether a segment has a tweet with the words of today. */
export async function isIn(ctx: Ctx, segment: Segment, tweet: Tweet): Promise<boolean> {
  if (!isReadAfter(segment, tweet)) return false;
  const held = await heldIn(ctx, segment, [{ id: tweet.id, stamp: tweet.createdAt }]);
  return held.length > 0;
}

/** All tweets of a segment, by position. */
export async function tweetsOf(ctx: Ctx, segment: Segment): Promise<Entry[]> {
  const firsts = await firstsOf(ctx, segment);
  const blocks = await Promise.all(firsts.map((_, nth) => readBlock(ctx, segment, nth)));
  const places = Array.from({ length: blockSize }, (_, at) => at);
  return blocks.flatMap((block) => places.flatMap((at) => entryIn(block, at) ?? []));
}

async function firstsOf(ctx: Ctx, { token }: Segment): Promise<number[]> {
  return unpackAscending(await readField(ctx, keys.sealedOrder(token), beginnings));
}

/** Stamp and id of each tweet, by turns: of most blocks few are wanted, and only these become entries. */
type Block = readonly number[];

/** Reads each block once. */
function blocksOf(ctx: Ctx, segment: Segment): (nth: number) => Promise<Block> {
  const blocks: Promise<Block>[] = [];
  return async (nth) => await (blocks[nth] ??= readBlock(ctx, segment, nth));
}

async function readBlock(ctx: Ctx, { token }: Segment, nth: number): Promise<Block> {
  const numbers = unpackNumbers(await readField(ctx, keys.sealedOrder(token), String(nth)));
  let [stamp, id] = [0, 0];
  for (let at = 0; at + 1 < numbers.length; at += 2) {
    const distance = numbers[at + 1] ?? 0;
    stamp += numbers[at] ?? 0;
    id += distance % 2 === 1 ? -(distance + 1) / 2 : distance / 2;
    numbers[at] = stamp;
    numbers[at + 1] = id;
  }
  return numbers;
}

function entryIn(block: Block, at: number): Entry | undefined {
  const [stamp, id] = [block[2 * at], block[2 * at + 1]];
  return stamp === undefined || id === undefined ? undefined : { id: String(id), stamp };
}

/** Where in a block a tweet is; -1 if it is not there. */
function placeIn(block: Block, id: number): number {
  for (let at = 1; at < block.length; at += 2) if (block[at] === id) return (at - 1) / 2;
  return -1;
}
