import { LRUCache } from "lru-cache";
import type { Ctx } from "../../context.ts";
import { execEach } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import type { Entry, Range } from "../page.ts";
import { perClient } from "../memo.ts";
import type { Stamp } from "../ids.ts";
import type { Tweet } from "../tweets/tweet.ts";
import { beginnings, blockSize, bucketOf, isLongTerm } from "./build-segment.ts";
import { inAll, isAnyIn, lastUpTo, unpackAscending, Unpacking } from "./numbers.ts";
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
      fetchMethod: (_name, _old, { context: { ctx, key, field } }) => askFor(ctx, key, field),
    }),
);
/** By key, the fields that are asked for in this turn, and their values. */
const askedNow = perClient(
  () => new Map<string, { fields: string[]; values: Promise<(Buffer | null)[]> }>(),
);

/** Fields of one hash that are wanted in one turn are one command: an author's tweets are in all blocks of a segment. */
async function askFor(ctx: Ctx, key: string, field: string): Promise<Buffer> {
  const asked = askedNow(ctx);
  const { fields, values } = asked.get(key) ?? startAsking();
  const nth = fields.push(field) - 1;
  return (await values)[nth] ?? absent;

  function startAsking() {
    const first: string[] = [];
    const sent = Promise.resolve().then(async () => {
      asked.delete(key);
      return await ctx.redis.hmgetBuffer(key, ...first);
    });
    const started = { fields: first, values: sent };
    asked.set(key, started);
    return started;
  }
}

async function readField(ctx: Ctx, key: string, field: string): Promise<Buffer> {
  const context = { ctx, key, field };
  return (await fieldsKept(ctx).fetch(`${key} ${field}`, { context })) ?? absent;
}

/** The short lists of terms, empty for a long one; undefined if no tweet has one of the terms. */
export async function listsHeld(ctx: Ctx, segment: Segment, terms: readonly string[]) {
  if (segment.buckets === 0) return undefined;
  const hashOf = (term: string) =>
    isLongTerm(term)
      ? keys.sealedLong(segment.token)
      : keys.sealedTerms(segment.token, bucketOf(segment, term));
  const held = await Promise.all(terms.map((term) => readField(ctx, hashOf(term), term)));
  return held.includes(absent) ? undefined : held;
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
  const held = await listsHeld(ctx, segment, terms);
  if (held === undefined) return [];
  const long = keys.sealedLong(segment.token);
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
  const entries: Entry[] = [];
  for (let read = 0; read < wanted.length; read += limit) {
    const edge = entries[limit - 1]?.stamp;
    if (edge !== undefined && entries.at(-1)?.stamp !== edge) break;
    const end = upwards === true ? read + limit : wanted.length - read;
    const some = await tweetsAt(ctx, segment, wanted.slice(Math.max(0, end - limit), end));
    if (upwards !== true) some.reverse();
    entries.push(...some.filter(({ stamp }) => stamp < before && stamp > after));
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
  const wanted = new Map<number, Set<number>>();
  for (const { id, stamp } of entries)
    for (const nth of blocksWith(firsts, stamp))
      wanted.set(nth, (wanted.get(nth) ?? new Set()).add(Number(id)));
  const isWanted = (from: number, end: number) =>
    positions === undefined || isAnyIn(positions, from, end);
  const held = new Set<string>();
  const some = [...wanted].map(async ([nth, ids]) => {
    const first = nth * blockSize;
    if (!isWanted(first, first + blockSize)) return;
    walk(await readBlock(ctx, segment, nth), (at, _stamp, id) => {
      if (ids.has(id) && isWanted(first + at, first + at + 1)) held.add(String(id));
      return false;
    });
  });
  await Promise.all(some);
  return entries.filter(({ id }) => held.has(id));
}

/** Numbers of the blocks that may have a tweet: those that share a stamp may be in several. */
function blocksWith(firsts: readonly number[], stamp: Stamp): number[] {
  const blocks: number[] = [];
  for (let nth = lastUpTo(firsts, stamp); nth >= 0; nth -= 1) {
    blocks.push(nth);
    if ((firsts[nth] ?? 0) < stamp) break;
  }
  return blocks;
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
  const positions = Array.from({ length: firsts.length * blockSize }, (_, at) => at);
  return await tweetsAt(ctx, segment, positions);
}

async function firstsOf(ctx: Ctx, { token }: Segment): Promise<number[]> {
  return unpackAscending(await readField(ctx, keys.sealedOrder(token), beginnings));
}

/** The tweets at ascending positions. */
async function tweetsAt(ctx: Ctx, segment: Segment, positions: readonly number[]) {
  const groups = new Map<number, number[]>();
  for (const position of positions) {
    const nth = Math.floor(position / blockSize);
    const places = groups.get(nth) ?? [];
    if (places.push(position % blockSize) === 1) groups.set(nth, places);
  }
  const some = [...groups].map(async ([nth, places]) => {
    const entries: Entry[] = [];
    walk(await readBlock(ctx, segment, nth), (at, stamp, id) => {
      if (at === places[entries.length]) entries.push({ id: String(id), stamp });
      return entries.length === places.length;
    });
    return entries;
  });
  return (await Promise.all(some)).flat();
}

async function readBlock(ctx: Ctx, { token }: Segment, nth: number): Promise<Buffer> {
  return await readField(ctx, keys.sealedOrder(token), String(nth));
}

/** Shows the tweets of a block until `isLast`. It makes nothing: of most blocks one or two tweets are wanted. */
function walk(block: Uint8Array, isLast: (at: number, stamp: Stamp, id: number) => boolean): void {
  const rest = new Unpacking(block);
  let [stamp, id] = [0, 0];
  for (let at = 0; ; at += 1) {
    const [later, distance] = [rest.next(), rest.next()];
    if (later === undefined || distance === undefined) return;
    stamp += later;
    const half = Math.floor(distance / 2);
    id += distance === 2 * half ? half : -half - 1;
    if (isLast(at, stamp, id)) return;
  }
}
