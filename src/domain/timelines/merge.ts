import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import type { UserId } from "../ids.ts";
import { type Entry, type Range, toEntries, upTo } from "../page.ts";
import type { Stamp } from "../stamp.ts";

/** Authors read in one round trip; bounds what one reply may hold. */
const authorsAtOnce = 500;
/** Nobody is asked for fewer tweets than this at a time. */
const fewest = 4;

/** Whose timeline goes on, as far as is known, before the stamp `before`. */
interface Source {
  author: UserId;
  before: Stamp | undefined;
}

/**
 * The newest tweets of many authors together, newest first: at least `limit` unless there are no
 * more, and more only where several share the last one's stamp. Each author is asked for a few; only
 * those whose few were all among the newest are asked for more.
 */
export async function mergeUserTimelines(
  ctx: Ctx,
  authors: UserId[],
  { before, limit }: Range,
): Promise<Entry[]> {
  let newest: Entry[] = [];
  let sources: Source[] = authors.map((author) => ({ author, before }));
  let share = Math.max(fewest, Math.ceil((2 * limit) / Math.max(1, authors.length)));
  while (sources.length > 0) {
    const goOn: Source[] = [];
    for (let first = 0; first < sources.length; first += authorsAtOnce) {
      const group = sources.slice(first, first + authorsAtOnce);
      const timelines = await readTimelines(
        ctx,
        group,
        Math.min(share, limit),
        least(newest, limit),
      );
      newest = newestOf([...newest, ...timelines.flat()], limit);
      goOn.push(...group.flatMap((source, index) => rest(source, timelines[index], share)));
    }
    const edge = least(newest, limit);
    sources = goOn.filter((source) => source.before === undefined || source.before >= edge);
    share *= 4;
  }
  return newest;
}

/** The stamp below which nothing matters any more. */
function least(newest: Entry[], limit: number): Stamp {
  return newest.length < limit ? 1 : (newest.at(-1)?.stamp ?? 1);
}

/** An author who had as many as were asked for may have more. */
function rest({ author }: Source, timeline: Entry[] | undefined, share: number): Source[] {
  const last = timeline?.[share - 1];
  return last === undefined ? [] : [{ author, before: last.stamp }];
}

async function readTimelines(
  ctx: Ctx,
  sources: Source[],
  count: number,
  from: Stamp,
): Promise<Entry[][]> {
  const replies = await exec(
    ctx.redis,
    sources.map(({ author, before }) => [
      "zrange",
      keys.userTimeline(author),
      upTo(before),
      from,
      "BYSCORE",
      "REV",
      "LIMIT",
      0,
      count,
      "WITHSCORES",
    ]),
  );
  return replies.map((reply) => toEntries(reply as string[]));
}

/** Sorted, without repeats, cut to `limit` and the ties of the last. */
export function newestOf(entries: Entry[], limit: number): Entry[] {
  const unique = [...new Map(entries.map((entry) => [entry.id, entry])).values()];
  unique.sort((one, other) => other.stamp - one.stamp || Number(other.id) - Number(one.id));
  const edge = unique[limit - 1]?.stamp;
  if (edge === undefined) return unique;
  return unique.filter((entry, index) => index < limit || entry.stamp === edge);
}
