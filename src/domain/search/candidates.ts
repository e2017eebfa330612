import type { Ctx } from "../../context.ts";
import { type Command, exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import type { UserId } from "../ids.ts";
import { beyond, type Entry, type Range, readEntries, toEntries } from "../page.ts";
import type { Stamp } from "../stamp.ts";
import { listedKept, listOf } from "./index.ts";

/** What is known of a tweet before it is looked at: terms that it has, and by whom it is. */
export interface Wanted {
  terms: string[];
  authors: UserId[];
}

/** A list in which every wanted tweet stands, at or above `floor`. */
interface List {
  key: string;
  size: number;
  /** Below this stamp the list says nothing: it was cut. */
  floor: Stamp;
}

/** More terms than these need not be asked about: the text itself decides. */
const termsAsked = 16;
/** Ids that the first step reads from the shortest list and looks up in the others; then twice as many. */
const firstStep = 200;
const longestStep = 2000;

/**
 * Ids of tweets that may be what is wanted, in the order of reading: none is left out that stands in any of the
 * lists, and some may turn out not to be wanted. The shortest list is read, of which a step at a time
 * is looked up in the others. The work has a bound: only a list of terms is looked up, and then the
 * shortest has at most 10,000 ids.
 */
export class Candidates {
  readonly #ctx: Ctx;
  readonly #wanted: Wanted;
  #lists: List[] | undefined;
  #ready: Entry[] = [];
  /** Where the shortest list goes on. */
  #rest: Range = { before: undefined, limit: 0 };
  #isEnd = false;
  #step = firstStep;

  constructor(ctx: Ctx, wanted: Wanted) {
    this.#ctx = ctx;
    this.#wanted = wanted;
  }

  /** At least `limit` unless there are no more. Each call goes on where the last one ended. */
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
    if (last !== undefined) this.#rest = beyond(range, last.stamp);
    this.#ready.push(...(await standIn(this.#ctx, others, entries)));
  }

  /** With all that share the last one's stamp, as a page may end there. */
  #take(limit: number): Entry[] {
    const edge = this.#ready[limit - 1]?.stamp;
    const taken = this.#ready.filter(({ stamp }, index) => index < limit || stamp === edge);
    this.#ready = this.#ready.slice(taken.length);
    return taken;
  }
}

/** Shortest first; of those that were cut, the one that reaches back furthest. */
async function openLists(ctx: Ctx, { terms, authors }: Wanted): Promise<List[]> {
  const listed = terms.slice(0, termsAsked).map(listOf);
  const names = [...listed, ...authors.map((author) => keys.userTimeline(author))];
  const sizes: Command[] = names.map((key) => ["zcard", key]);
  const oldest: Command[] = listed.map((key) => ["zrange", key, 0, 0, "WITHSCORES"]);
  const replies = await exec(ctx.redis, [...sizes, ...oldest]);
  const lists = names.map((key, index): List => {
    const size = Number(replies[index]);
    if (size < listedKept || index >= listed.length) return { key, size, floor: 0 };
    const [first] = toEntries(replies[names.length + index] as string[]);
    return { key, size, floor: first?.stamp ?? 0 };
  });
  return lists.toSorted((one, other) => one.size - other.size || one.floor - other.floor);
}

/** Those that stand in every list, or of which it says nothing; one round trip. */
async function standIn(ctx: Ctx, lists: List[], entries: Entry[]): Promise<Entry[]> {
  if (lists.length === 0 || entries.length === 0) return entries;
  const ids = entries.map(({ id }) => id);
  const found = (await exec(
    ctx.redis,
    lists.map(({ key }) => ["zmscore", key, ...ids]),
  )) as (string | null)[][];
  return entries.filter(({ stamp }, index) =>
    lists.every(({ floor }, nth) => stamp < floor || (found[nth]?.[index] ?? null) !== null),
  );
}
