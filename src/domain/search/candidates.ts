import { setImmediate as othersTurn } from "node:timers/promises";
import type { Ctx } from "../../context.ts";
import { inBatches } from "../concurrency-limit.ts";
import { execEach } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { Unavailable } from "../errors.ts";
import { tweetId, type UserId } from "../ids.ts";
import { type Entry, type Range, readEntries } from "../page.ts";
import { currentScope, withoutCaching } from "../scope.ts";
import { firstEntries } from "../timelines/merge.ts";
import { readEachWords } from "../tweets/store.ts";
import { chooseEntries, inAllLists } from "./choose-entries.ts";
import { termKey } from "./index-tweet.ts";
import { lastUpTo } from "./numbers.ts";
import { entriesAt, heldIn, listsHeld, positionsIn } from "./read-segment.ts";
import { readSegments, type Segment } from "./segments.ts";

/** Max terms that are looked up, in segments fewer: the text itself decides about the rest. */
const termsAsked = 16;
/** Max segments that are read in one step. */
const segmentsAtOnce = 8;
/** Segments that are asked at once whether they have all terms, if no open tweet has one of them: it is likely rare. */
const segmentsAsked = 32;
/** Texts after which a page reads no more, though it may be short. A thousand take 10 ms of a processor. */
const textsRead = 3000;

/** Which tweets are searched for. */
interface Wanted {
  terms: readonly string[];
  author: UserId | undefined;
  /** Whether a tweet with these words may be wanted. Given for phrases: most tweets with all terms lack them. */
  holds?: ((words: string) => boolean) | undefined;
}

/**
 * Ids of tweets that may be wanted, in reading order: none that has all terms is missing, some may turn out not to be
 * wanted. The open lists are read first and then which segments there are: what leaves the lists meanwhile is in a
 * segment already. Of segments, as many are read as the page needs.
 */
export class Candidates {
  readonly #ctx: Ctx;
  readonly #wanted: Wanted;
  readonly #terms: readonly string[];
  readonly #lists: readonly string[];
  /** By token, the positions that were found; segments never change. */
  readonly #found = new Map<string, Promise<readonly number[]>>();
  /** Ids that the open lists have. */
  readonly #open = new Set<string>();
  #sizes: Promise<number[]> | undefined;
  #texts = 0;

  constructor(ctx: Ctx, wanted: Wanted) {
    this.#ctx = ctx;
    this.#wanted = wanted;
    this.#terms = wanted.terms.slice(0, termsAsked);
    this.#lists = this.#terms.map(termKey);
  }

  /** At least `limit` unless there are no more, with all that share the stamp of the last. */
  async read(range: Range): Promise<Entry[]> {
    const { holds } = this.#wanted;
    if (holds === undefined) return await this.#withTerms(range);
    const read = (part: Range) => this.#withTerms(part);
    return await chooseEntries(read, range, (entries) => this.#holding(entries, holds));
  }

  /** Whether the page has read as many texts as it may, and ends here. Later candidates are not looked through. */
  isSpent(): boolean {
    return this.#texts >= textsRead;
  }

  /**
   * Leaves out sealed tweets without the words. The text of an open one is left to the page, which then depends on it:
   * an edit lists a sealed tweet, but does not change the lists that an open one is in.
   */
  async #holding(entries: Entry[], holds: (words: string) => boolean): Promise<Entry[]> {
    if (this.isSpent()) return entries;
    const sealed = entries.filter(({ id }) => !this.#open.has(id)).map(({ id }) => tweetId(id));
    this.#texts += sealed.length;
    const words = await withoutCaching(() => readEachWords(this.#ctx, sealed));
    const others = new Set<string>(sealed.filter((_, nth) => !holds(words[nth] ?? "")));
    return entries.filter(({ id }) => !others.has(id));
  }

  async #withTerms(range: Range): Promise<Entry[]> {
    const { author } = this.#wanted;
    if (author === undefined) {
      const open = this.#noteOpen(await this.#openEntries(range));
      return await withoutCaching(() => this.#withSealed(open, range));
    }
    const written = this.#listed(keys.userTimeline(author));
    if (this.#lists.length === 0) return await written(range);
    return await chooseEntries(written, range, (entries) => this.#having(entries));
  }

  /** Those that all open lists have: the shortest is read, and looked up in the others. */
  async #openEntries(range: Range): Promise<Entry[]> {
    const sizes = await this.#openSizes();
    const smallest = Math.min(...sizes);
    if (smallest === 0) return [];
    const shortest = sizes.indexOf(smallest);
    const others = this.#lists.filter((_, nth) => nth !== shortest);
    const read = this.#listed(this.#lists[shortest] ?? "");
    const choose = (entries: Entry[]) => inAllLists(this.#ctx, others, entries);
    return await (others.length === 0 ? read(range) : chooseEntries(read, range, choose));
  }

  #listed(list: string): (range: Range) => Promise<Entry[]> {
    return async (range) => await readEntries(this.#ctx.redis, list, range);
  }

  /** How many tweets the open lists had at the first look: if one was empty, no tweet is only there. */
  async #openSizes(): Promise<number[]> {
    const { redis } = this.#ctx;
    this.#sizes ??= execEach(redis, this.#lists, (list) => ["zcard", list]) as Promise<number[]>;
    return await this.#sizes;
  }

  #noteOpen(entries: Entry[]): Entry[] {
    for (const { id } of entries) this.#open.add(id);
    return entries;
  }

  /** Adds what segments have, from the next one in reading order on, until no other can have any of the first. */
  async #withSealed(open: Entry[], range: Range): Promise<Entry[]> {
    const { before = Infinity, after = 0, upwards, limit } = range;
    const isUp = upwards === true;
    const { segments } = await readSegments(this.#ctx);
    let rest = segments
      .filter(({ oldest, newest }) => newest > after && oldest < before)
      .toSorted((one, other) => (isUp ? one.oldest - other.oldest : other.newest - one.newest));
    const isRare = Math.min(...(await this.#openSizes())) === 0;
    let entries = firstEntries(open, range);
    let step = isRare ? segmentsAtOnce : 1;
    for (; rest.length > 0; step = Math.min(2 * step, segmentsAtOnce)) {
      const edge = entries[limit - 1]?.stamp;
      const { oldest = 0, newest = 0 } = rest[0] ?? {};
      if (edge !== undefined && (isUp ? oldest > edge : newest < edge)) break;
      const askedSegments = rest.slice(0, isRare ? segmentsAsked : step);
      const holding = await this.#holdingAll(askedSegments);
      const read = await this.#enough(holding.slice(0, step), limit - entries.length);
      const some = read.map(async (segment) =>
        entriesAt(this.#ctx, segment, await this.#positions(segment), range),
      );
      entries = firstEntries([...entries, ...(await Promise.all(some)).flat()], range);
      const next = holding[read.length];
      rest = rest.slice(next === undefined ? askedSegments.length : rest.indexOf(next));
      await pause();
    }
    return entries;
  }

  /** Segments without those that have no tweet with one of the terms. */
  async #holdingAll(segments: Segment[]): Promise<Segment[]> {
    const lists = await Promise.all(segments.map((one) => listsHeld(this.#ctx, one, this.#terms)));
    return segments.filter((_, nth) => lists[nth] !== undefined);
  }

  /** The first segments that together have at least `count` tweets with all terms; all of them if they have fewer. */
  async #enough(segments: Segment[], count: number): Promise<Segment[]> {
    const positions = await Promise.all(segments.map((segment) => this.#positions(segment)));
    let sum = 0;
    const last = positions.findIndex(({ length }) => (sum += length) >= count);
    return last === -1 ? segments : segments.slice(0, last + 1);
  }

  #positions(segment: Segment): Promise<readonly number[]> {
    const earlier = this.#found.get(segment.token);
    const positions = earlier ?? positionsIn(this.#ctx, segment, this.#terms);
    this.#found.set(segment.token, positions);
    return positions;
  }

  /** Those of an author's tweets that have all terms, in any order. */
  async #having(entries: Entry[]): Promise<Entry[]> {
    const isAnyOpen = Math.min(...(await this.#openSizes())) > 0;
    const open = isAnyOpen ? await inAllLists(this.#ctx, this.#lists, entries) : [];
    this.#noteOpen(open);
    const listed = new Set(open);
    const rest = entries.filter((entry) => !listed.has(entry));
    const sealed = rest.length === 0 ? [] : await withoutCaching(() => this.#sealedOf(rest));
    return [...open, ...sealed];
  }

  /** Those that have all terms in their segments. */
  async #sealedOf(entries: Entry[]): Promise<Entry[]> {
    const { segments } = await readSegments(this.#ctx);
    const groups = bySegment(segments, entries);
    const sealedEntries: Entry[] = [];
    for (const batch of inBatches(groups, segmentsAtOnce)) {
      const some = batch.map(async ({ segment, own }) =>
        heldIn(this.#ctx, segment, own, await this.#positions(segment)),
      );
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
