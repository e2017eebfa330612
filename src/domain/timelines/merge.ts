import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import type { UserId } from "../ids.ts";
import { type Entry, type Range, toEntries, upTo } from "../page.ts";
import type { Stamp } from "../stamp.ts";

/** Authors read in one round trip; bounds what one reply may hold. */
const authorsAtOnce = 500;

/**
 * The newest tweets of many authors together, newest first: at least `limit` unless there are no
 * more, and more only where several share the last one's stamp. Once `limit` are known, the authors
 * that remain are asked only for newer ones than the oldest of these.
 */
export async function mergeUserTimelines(
  ctx: Ctx,
  authors: UserId[],
  { before, limit }: Range,
): Promise<Entry[]> {
  let newest: Entry[] = [];
  for (let first = 0; first < authors.length; first += authorsAtOnce) {
    const least = newest.length < limit ? 1 : (newest.at(-1)?.stamp ?? 1);
    const group = authors.slice(first, first + authorsAtOnce);
    newest = newestOf(
      [...newest, ...(await readTimelines(ctx, group, { before, limit, least }))],
      limit,
    );
  }
  return newest;
}

async function readTimelines(
  ctx: Ctx,
  authors: UserId[],
  { before, limit, least }: Range & { least: Stamp },
): Promise<Entry[]> {
  const replies = await exec(
    ctx.redis,
    authors.map((author) => [
      "zrange",
      keys.userTimeline(author),
      upTo(before),
      least,
      "BYSCORE",
      "REV",
      "LIMIT",
      0,
      limit,
      "WITHSCORES",
    ]),
  );
  return replies.flatMap((reply) => toEntries(reply as string[]));
}

/** Sorted, without repeats, cut to `limit` and the ties of the last. */
export function newestOf(entries: Entry[], limit: number): Entry[] {
  const unique = [...new Map(entries.map((entry) => [entry.id, entry])).values()];
  unique.sort((one, other) => other.stamp - one.stamp || Number(other.id) - Number(one.id));
  const edge = unique[limit - 1]?.stamp;
  if (edge === undefined) return unique;
  return unique.filter((entry, index) => index < limit || entry.stamp === edge);
}
