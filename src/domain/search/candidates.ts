import { setImmediate as othersTurn } from "node:timers/promises";
import type { Ctx } from "../../context.ts";
import { inBatches } from "../concurrency-limit.ts";
import { execEach } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { Unavailable } from "../errors.ts";
import type { UserId } from "../ids.ts";
import { rangeBeyond, type Entry, type Range, readEntries } from "../page.ts";
import { currentScope, withoutCaching } from "../scope.ts";
import { firstEntries } from "../timelines/merge.ts";
import { termKey } from "./index-tweet.ts";
import { lastUpTo } from "./numbers.ts";
import { entriesAt, heldIn, positionsIn } from "./read-segment.ts";
import { readSegments, type Segment } from "./segments.ts";

/** Max terms that are looked up, in segments fewer: the text itself decides about the rest. */
const termsAsked = 16;
/** Max segments that are read in one step. */
const segmentsAtOnce = 8;
/** Ids of the shortest list that the first step looks up in the other lists; each next step takes twice as many. */
const firstStep = 200;
const longestStep = 2000;

/**
 * Ids of tweets that may be wanted, in reading order: none that has all terms is missing, some may turn out not to be
 * wanted. The open lists are read first and then which segments there are: what leaves the lists meanwhile is in a
 * segment already. Of segments, as many are read as the page needs.
 */
export class Candidates {
  readonly #ctx: Ctx;
  readonly #terms: string[];
  readonly #author: UserId | undefined;
  /** By token, the positions that were found; segments never change. */
  readonly #found = new Map<string, Promise<readonly number[]>>();

  constructor(ctx: Ctx, { terms, author }: { terms: string[]; author: UserId | undefined }) {
    this.#ctx = ctx;
    this.#terms = terms.slice(0, termsAsked);
    this.#author = author;
  }

  /** At least `limit` unless there are no more, with all that share the stamp of the last. */
  async read(range: Range): Promise<Entry[]> {
    const lists = this.#terms.map(termKey);
    if (this.#author !== undefined) {
      const timeline = keys.userTimeline(this.#author);
      const having = (entries: Entry[]) => this.#having(lists, entries);
      return await readThose(this.#ctx, timeline, range, lists.length === 0 ? undefined : having);
    }
    const sizes = (await execEach(this.#ctx.redis, lists, (list) => ["zcard", list])) as number[];
    const shortest = sizes.indexOf(Math.min(...sizes));
    const others = lists.filter((_, nth) => nth !== shortest);
    const having = (entries: Entry[]) => inAllLists(this.#ctx, others, entries);
    const list = lists[shortest] ?? "";
    const open = await readThose(this.#ctx, list, range, others.length === 0 ? undefined : having);
    return await withoutCaching(() => this.#withSealed(open, range));
  }

  /** Adds what segments have, from the next one in reading order on, until no other can have any of the first. */
  async #withSealed(open: Entry[], range: Range): Promise<Entry[]> {
    const { before = Infinity, after = 0, upwards, limit } = range;
    const isUp = upwards === true;
    const { segments } = await readSegments(this.#ctx);
    const rest = segments
      .filter(({ oldest, newest }) => newest > after && oldest < before)
      .toSorted((one, other) => (isUp ? one.oldest - other.oldest : other.newest - one.newest));
    let entries = firstEntries(open, range);
    for (let [from, step] = [0, 1]; from < rest.length;) {
      const edge = entries[limit - 1]?.stamp;
      const { oldest = 0, newest = 0 } = rest[from] ?? {};
      if (edge !== undefined && (isUp ? oldest > edge : newest < edge)) break;
      const some = await Promise.all(
        rest.slice(from, from + step).map((segment) => this.#entriesIn(segment, range)),
      );
      entries = firstEntries([...entries, ...some.flat()], range);
      from += step;
      step = Math.min(2 * step, segmentsAtOnce);
      await pause();
    }
    return entries;
  }

  async #entriesIn(segment: Segment, range: Range): Promise<Entry[]> {
    return await entriesAt(this.#ctx, segment, await this.#positions(segment), range);
  }

  #positions(segment: Segment): Promise<readonly number[]> {
    const earlier = this.#found.get(segment.token);
    const positions = earlier ?? positionsIn(this.#ctx, segment, this.#terms);
    this.#found.set(segment.token, positions);
    return positions;
  }

  /** Those of an author's tweets that have all terms, in any order. */
  async #having(lists: string[], entries: Entry[]): Promise<Entry[]> {
    const open = new Set(await inAllLists(this.#ctx, lists, entries));
    const rest = entries.filter((entry) => !open.has(entry));
    const sealed = rest.length === 0 ? [] : await withoutCaching(() => this.#sealedOf(rest));
    return [...open, ...sealed];
  }

  /** Those that have all terms in their segments. */
  async #sealedOf(entries: Entry[]): Promise<Entry[]> {
    const { segments } = await readSegments(this.#ctx);
    const groups = bySegment(segments, entries);
    const sealedEntries: Entry[] = [];
    for (const batch of inBatches(groups, segmentsAtOnce)) {
      const some = batch.map(async ({ segment, own }) => {
        const positions = await this.#positions(segment);
        return await heldIn(this.#ctx, segment, own, positions);
      });
      sealedEntries.push(...(await Promise.all(some)).flat());
      await pause();
    }
    return sealedEntries;
  }
}

/** Lets other requests run: what a process keeps in memory is read without a pause. Throws after the deadline. */
async function pause(): Promise<void> {
  await othersTurn();
  if (currentScope.getStore()?.deadline.passed === true) throw new Unavailable("deadline");
}

/** Segments with those of the tweets that belong to them. */
function bySegment(segments: readonly Segment[], entries: Entry[]) {
  const firsts = segments.map(({ first }) => first);
  const groups = segments.map((segment) => ({ segment, own: [] as Entry[] }));
  for (const entry of entries) {
    const group = groups[lastUpTo(firsts, Number(entry.id))];
    if (group !== undefined && Number(entry.id) < group.segment.end) group.own.push(entry);
  }
  return groups.filter(({ own }) => own.length > 0);
}

/** The first of a list in a range, of those that `choose` leaves: it is read in steps until there are enough. */
async function readThose(
  ctx: Ctx,
  list: string,
  range: Range,
  choose?: (entries: Entry[]) => Promise<Entry[]>,
): Promise<Entry[]> {
  if (choose === undefined) return await readEntries(ctx.redis, list, range);
  const chosen: Entry[] = [];
  let rest = { ...range, limit: firstStep };
  for (;;) {
    const entries = await readEntries(ctx.redis, list, rest);
    chosen.push(...(await choose(entries)));
    const last = entries.at(-1);
    if (last === undefined || entries.length < rest.limit || chosen.length >= range.limit)
      return firstEntries(chosen, range);
    rest = { ...rangeBeyond(rest, last.stamp), limit: Math.min(2 * rest.limit, longestStep) };
  }
}

/** Entries that are in every list; one round trip. */
async function inAllLists(ctx: Ctx, lists: string[], entries: Entry[]): Promise<Entry[]> {
  if (lists.length === 0 || entries.length === 0) return entries;
  const ids = entries.map(({ id }) => id);
  const replies = (await execEach(ctx.redis, lists, (list) => ["zmscore", list, ...ids])) as (
    string | null
  )[][];
  return entries.filter((_, index) => replies.every((scores) => (scores[index] ?? null) !== null));
}
