import type { Ctx } from "../../context.ts";
import { type Command, exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import type { UserId } from "../ids.ts";
import { rangeBeyond, type Entry, type Range, readEntries, toEntries } from "../page.ts";
import type { Stamp } from "../stamp.ts";
import { termKey, tweetsKept } from "./index-tweet.ts";

/** Terms and possible authors of the wanted tweets. */
interface Wanted {
  terms: string[];
  authors: UserId[];
}

/** A list with every wanted tweet at or above `floor`. */
interface List {
  key: string;
  size: number;
  /** Below this stamp the list was cut, so it decides nothing. */
  floor: Stamp;
}

/** Max terms that are looked up: the text itself decides about the rest. */
const termsAsked = 16;
/** Ids of the shortest list that the first step looks up in the other lists; each next step takes twice as many. */
const firstStep = 200;
const longestStep = 2000;

/**
 * Ids of tweets that may be wanted, in reading order. No wanted tweet is missing that is in any of the lists;
 * some may turn out not to be wanted. Reads the shortest list, and looks its ids up in the others, a step at a
 * time. The work is bounded: only lists of terms are looked up, and then the shortest list has at most 10,000
 * ids.
 */
export class Candidates {
  readonly #ctx: Ctx;
  readonly #wanted: Wanted;
  #lists: List[] | undefined;
  #ready: Entry[] = [];
  /** The rest of the shortest list. */
  #rest: Range = { before: undefined, limit: 0 };
  #isEnd = false;
  #step = firstStep;

  constructor(ctx: Ctx, wanted: Wanted) {
    this.#ctx = ctx;
    this.#wanted = wanted;
  }

  /** At least `limit` unless there are no more. Each call continues after the last one. */
  async read(range: Range): Promise<Entry[]> {
    const { limit } = range;
    if (this.#lists === undefined) {
      this.#lists = await openLists(this.#ctx, this.#wanted);
      this.#rest = range;
      this.#isEnd = this.#lists[0] === undefined || this.#lists[0].size === 0;
    }
    while (this.#ready.length < limit && !this.#isEnd) await this.#advance(limit);
    return this.#take(limit);
  }

  async #advance(limit: number): Promise<void> {
    const [shortest, ...others] = this.#lists ?? [];
    const key = shortest?.key ?? "";
    const range = { ...this.#rest, limit: others.length === 0 ? limit : this.#step };
    this.#step = Math.min(2 * this.#step, longestStep);
    const entries = await readEntries(this.#ctx.redis, key, range);
    this.#isEnd = entries.length < range.limit;
    const last = entries.at(-1);
    if (last !== undefined) this.#rest = rangeBeyond(range, last.stamp);
    this.#ready.push(...(await inAllLists(this.#ctx, others, entries)));
  }

  /** Includes all with the same stamp as the last, as a page may end there. */
  #take(limit: number): Entry[] {
    const edge = this.#ready[limit - 1]?.stamp;
    const taken = this.#ready.filter(({ stamp }, index) => index < limit || stamp === edge);
    this.#ready = this.#ready.slice(taken.length);
    return taken;
  }
}

/** Shortest first; of the lists that were cut, the one that reaches back furthest. */
async function openLists(ctx: Ctx, { terms, authors }: Wanted): Promise<List[]> {
  const rarest = terms.slice(0, termsAsked);
  const listed = rarest.map(termKey);
  const names = [...listed, ...authors.map((author) => keys.userTimeline(author))];
  const sizes: Command[] = names.map((key) => ["zcard", key]);
  const oldest: Command[] = listed.map((key) => ["zrange", key, 0, 0, "WITHSCORES"]);
  const replies = await exec(ctx.redis, [...sizes, ...oldest]);
  const lists = names.map((key, index): List => {
    const size = Number(replies[index]);
    const term = rarest[index];
    if (term === undefined || size < tweetsKept(term)) return { key, size, floor: 0 };
    const [first] = toEntries(replies[names.length + index] as string[]);
    return { key, size, floor: first?.stamp ?? 0 };
  });
  return lists.toSorted((one, other) => one.size - other.size || one.floor - other.floor);
}

/** Entries that are in every list, or below its floor; one round trip. */
async function inAllLists(ctx: Ctx, lists: List[], entries: Entry[]): Promise<Entry[]> {
  if (lists.length === 0 || entries.length === 0) return entries;
  const ids = entries.map(({ id }) => id);
  const replies = (await exec(
    ctx.redis,
    lists.map(({ key }) => ["zmscore", key, ...ids]),
  )) as (string | null)[][];
  return entries.filter(({ stamp }, index) =>
    lists.every(({ floor }, nth) => stamp < floor || (replies[nth]?.[index] ?? null) !== null),
  );
}
