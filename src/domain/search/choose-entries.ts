import type { Ctx } from "../../context.ts";
import { execEach } from "../../redis/exec.ts";
import { type Entry, type Range, rangeBeyond } from "../page.ts";
import { firstEntries } from "../timelines/merge.ts";

/** Min entries of a step, and how many the first one reads. */
const firstStep = 200;
/** After a step in which none is chosen, the next takes twice as many, up to this number. */
const longestStep = 2000;
/** After any other, the next takes no more than it did, or than this number: the end may be near. */
const steadyStep = 400;

/**
 * The first entries of a range, in its order, of those that `choose` leaves: at least `limit` unless there are no more,
 * with all that share the stamp of the last. `read` gives entries in the same way, and is asked in steps until there are
 * enough.
 */
export async function chooseEntries(
  read: (range: Range) => Promise<Entry[]>,
  range: Range,
  choose: (entries: Entry[]) => Promise<Entry[]>,
): Promise<Entry[]> {
  const chosen: Entry[] = [];
  let rest = { ...range, limit: firstStep };
  for (;;) {
    const entries = await read(rest);
    const some = await choose(entries);
    chosen.push(...some);
    const missing = range.limit - chosen.length;
    const last = entries.at(-1);
    if (last === undefined || entries.length < rest.limit || missing <= 0)
      return firstEntries(chosen, range);
    const most = some.length === 0 ? longestStep : Math.max(rest.limit, steadyStep);
    const wanted =
      some.length === 0 ? 2 * rest.limit : likelyEnough(missing, some.length / entries.length);
    rest = { ...rangeBeyond(rest, last.stamp), limit: Math.min(wanted, most) };
  }
}

/** How many entries to read for the `missing` ones if `share` of them is chosen, and a quarter more. */
function likelyEnough(missing: number, share: number): number {
  return Math.max(firstStep, Math.ceil((1.25 * missing) / share));
}

/** Entries that are in every list; one round trip. */
export async function inAllLists(ctx: Ctx, lists: readonly string[], entries: Entry[]) {
  if (lists.length === 0 || entries.length === 0) return entries;
  const ids = entries.map(({ id }) => id);
  const replies = (await execEach(ctx.redis, lists, (list) => ["zmscore", list, ...ids])) as (
    string | null
  )[][];
  return entries.filter((_, index) => replies.every((scores) => (scores[index] ?? null) !== null));
}
