import type { Ctx } from "../../context.ts";
import { type Command, exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { type UserId, userId } from "../ids.ts";
import { beyond, boundsOf, type Entry, type Range, toEntries } from "../page.ts";
import type { Stamp } from "../stamp.ts";

/** Authors read in one round trip; bounds what one reply may hold. */
const authorsAtOnce = 500;
/** Nobody is asked for fewer tweets than this at a time. */
const fewest = 4;

/** Whose timeline goes on, and where. */
interface Source {
  author: UserId;
  range: Range;
}

/** What was read of somebody's timeline at a time. */
interface Slice {
  entries: Entry[];
  /** Where to go on; undefined at the end. */
  rest: Stamp | undefined;
}

/** Whether a reply of `author` to somebody else is shown. */
export type ShowsAnswer = (author: UserId, to: UserId) => boolean;

/**
 * The first tweets of many authors together, in the order of reading: at least `limit` unless there are
 * no more, and more only where several share the last one's stamp. Replies to others are left out but
 * for those that `shows` lets pass. Each author is asked for a few; only those whose few were all
 * among the first are asked for more.
 */
export async function mergeUserTimelines(
  ctx: Ctx,
  authors: UserId[],
  range: Range,
  shows: ShowsAnswer = () => true,
): Promise<Entry[]> {
  const { limit } = range;
  let found: Entry[] = [];
  let sources: Source[] = authors.map((author) => ({ author, range }));
  let share = Math.max(fewest, Math.ceil((2 * limit) / Math.max(1, authors.length)));
  while (sources.length > 0) {
    const goOn: Source[] = [];
    for (let first = 0; first < sources.length; first += authorsAtOnce) {
      const group = sources.slice(first, first + authorsAtOnce);
      const count = Math.min(share, limit);
      const slices = await readTimelines(ctx, group, { count, edge: edgeOf(found, range) }, shows);
      found = firstOf([...found, ...slices.flatMap((slice) => slice.entries)], range);
      for (const [index, source] of group.entries()) {
        const rest = slices[index]?.rest;
        if (rest !== undefined) goOn.push({ ...source, range: beyond(source.range, rest) });
      }
    }
    const edge = edgeOf(found, range);
    sources = goOn.filter((source) => !isPast(source.range, edge));
    share *= 4;
  }
  return found;
}

/** The last stamp that matters any more, once there are enough. */
function edgeOf(found: Entry[], { limit }: Range): Stamp | undefined {
  return found.length < limit ? undefined : found.at(-1)?.stamp;
}

/** Whether nothing of a range is at or before the edge, in the order of reading. */
function isPast(
  { before = Infinity, after = 0, upwards }: Range,
  edge: Stamp | undefined,
): boolean {
  if (edge === undefined) return false;
  return upwards === true ? after > edge : before < edge;
}

/** No further than the edge. */
function within(range: Range, edge: Stamp | undefined): Range {
  if (edge === undefined) return range;
  return range.upwards === true
    ? { ...range, before: Math.min(range.before ?? Infinity, edge + 1) }
    : { ...range, after: Math.max(range.after ?? 0, edge - 1) };
}

/**
 * As many of an author's replies as of their tweets are asked for: so they reach as far, as every reply
 * is a tweet.
 */
async function readTimelines(
  ctx: Ctx,
  sources: Source[],
  { count, edge }: { count: number; edge: Stamp | undefined },
  shows: ShowsAnswer,
): Promise<Slice[]> {
  const read = (key: string, range: Range): Command => [
    ...(["zrange", key, ...boundsOf(within(range, edge))] as const),
    ...(["LIMIT", 0, count, "WITHSCORES"] as const),
  ];
  const replies = (await exec(
    ctx.redis,
    sources.flatMap(({ author, range }) => [
      read(keys.userTimeline(author), range),
      read(keys.replies(author), range),
    ]),
  )) as string[][];
  return sources.map(({ author }, index) => {
    const written = toEntries(replies[2 * index] ?? []);
    const hidden = hiddenAnswers(toEntries(replies[2 * index + 1] ?? []), author, shows);
    return {
      entries: hidden.size === 0 ? written : written.filter(({ id }) => !hidden.has(id)),
      rest: written.length < count ? undefined : written.at(-1)?.stamp,
    };
  });
}

/** The ids of those replies to others ("tweet id:to") that are not shown. */
function hiddenAnswers(answers: Entry[], author: UserId, shows: ShowsAnswer): Set<string> {
  const hidden = new Set<string>();
  for (const { id: member } of answers) {
    const [tweet = "", to = ""] = member.split(":");
    if (!shows(author, userId(to))) hidden.add(tweet);
  }
  return hidden;
}

/** In the order of reading, without repeats, cut to `limit` and the ties of the last. */
export function firstOf(
  entries: Entry[],
  { limit, upwards }: Pick<Range, "limit" | "upwards">,
): Entry[] {
  const unique = [...new Map(entries.map((entry) => [entry.id, entry])).values()];
  const sign = upwards === true ? -1 : 1;
  unique.sort(
    (one, other) => sign * (other.stamp - one.stamp || Number(other.id) - Number(one.id)),
  );
  const edge = unique[limit - 1]?.stamp;
  if (edge === undefined) return unique;
  return unique.filter((entry, index) => index < limit || entry.stamp === edge);
}
