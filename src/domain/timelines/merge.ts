import type { Ctx } from "../../context.ts";
import { type Command, exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { type UserId, userId } from "../ids.ts";
import { boundsOf, type Entry, type Range, rangeBeyond, tiesBounds, toEntries } from "../page.ts";
import type { Stamp } from "../stamp.ts";

/** Authors read in one round trip; bounds what one reply may hold. */
const authorsAtOnce = 500;
/** Min tweets read per author at a time. */
const fewestPerAuthor = 4;

/** A list of tweet ids, and the range still to be read. */
interface Source {
  list: string;
  /** Of a user timeline: its author. */
  author?: UserId;
  range: Range;
}

/** One read of a list. */
interface Slice {
  entries: Entry[];
  /** Where to continue; undefined at the end. */
  rest: Stamp | undefined;
}

/** Whether a reply of `author` to another user is shown. */
type ShowsAnswer = (author: UserId, to: UserId) => boolean;

/**
 * The first tweets of many authors together, in reading order: at least `limit` unless there are no more, and
 * more only if several share the last stamp. Replies to others are left out unless `shows` accepts them. Reads
 * a few tweets of each author; reads more only of authors whose tweets were all among the first.
 */
export async function mergeUserTimelines(
  ctx: Ctx,
  authors: UserId[],
  range: Range,
  shows: ShowsAnswer = () => true,
): Promise<Entry[]> {
  const sources = authors.map((author) => ({ list: keys.userTimeline(author), author, range }));
  return await mergeSources(ctx, sources, range, shows);
}

/** The same of any lists of tweet ids, such as those of hashtags. */
export async function mergeLists(ctx: Ctx, lists: string[], range: Range): Promise<Entry[]> {
  const sources = lists.map((list) => ({ list, range }));
  return await mergeSources(ctx, sources, range, () => true);
}

async function mergeSources(
  ctx: Ctx,
  all: Source[],
  range: Range,
  shows: ShowsAnswer,
): Promise<Entry[]> {
  const { limit } = range;
  let entries: Entry[] = [];
  let sources = all;
  let share = Math.max(fewestPerAuthor, Math.ceil((2 * limit) / Math.max(1, all.length)));
  while (sources.length > 0) {
    const unfinished: Source[] = [];
    for (let first = 0; first < sources.length; first += authorsAtOnce) {
      const group = sources.slice(first, first + authorsAtOnce);
      const count = Math.min(share, limit);
      const slices = await readSlices(ctx, group, { count, edge: edgeOf(entries, range) }, shows);
      entries = firstEntries([...entries, ...slices.flatMap((slice) => slice.entries)], range);
      for (const [index, source] of group.entries()) {
        const rest = slices[index]?.rest;
        if (rest !== undefined)
          unfinished.push({ ...source, range: rangeBeyond(source.range, rest) });
      }
    }
    const edge = edgeOf(entries, range);
    sources = unfinished.filter((source) => !isPast(source.range, edge));
    share *= 4;
  }
  return entries;
}

/** The last stamp that can still matter, once there are enough tweets. */
function edgeOf(found: Entry[], { limit }: Range): Stamp | undefined {
  return found.length < limit ? undefined : found.at(-1)?.stamp;
}

/** Whether the whole range is after the edge, in reading order. */
function isPast(
  { before = Infinity, after = 0, upwards }: Range,
  edge: Stamp | undefined,
): boolean {
  if (edge === undefined) return false;
  return upwards === true ? after >= edge : before <= edge;
}

/** The range, cut at the edge. */
function within(range: Range, edge: Stamp | undefined): Range {
  if (edge === undefined) return range;
  return range.upwards === true
    ? { ...range, before: Math.min(range.before ?? Infinity, edge + 1) }
    : { ...range, after: Math.max(range.after ?? 0, edge - 1) };
}

/**
 * Reads as many of an author's replies as of their tweets. Every reply is a tweet, so the replies reach as far. No two
 * tweets of an author share a stamp; those of a hashtag may, and then a slice has all that share its last one.
 */
async function readSlices(
  ctx: Ctx,
  sources: Source[],
  { count, edge }: { count: number; edge: Stamp | undefined },
  shows: ShowsAnswer,
): Promise<Slice[]> {
  const read = (key: string, range: Range): Command => [
    ...(["zrange", key, ...boundsOf(within(range, edge))] as const),
    // One more tells whether the last shares its stamp with the next.
    ...(["LIMIT", 0, count + 1, "WITHSCORES"] as const),
  ];
  const replies = (await exec(
    ctx.redis,
    sources.flatMap(({ list, author, range }) => [
      read(list, range),
      ...(author === undefined ? [] : [read(keys.replies(author), range)]),
    ]),
  )) as string[][];
  const next = replies.values();
  const slices = sources.map(({ list, author }) => {
    const written = toEntries(next.next().value ?? []);
    const answers = author === undefined ? [] : toEntries(next.next().value ?? []);
    const hidden = author === undefined ? new Set() : hiddenAnswers(answers, author, shows);
    const isEnd = written.length <= count;
    const rest = isEnd ? undefined : written[count - 1]?.stamp;
    const isTied = rest !== undefined && written[count]?.stamp === rest;
    const entries = written.slice(0, count).filter(({ id }) => !hidden.has(id));
    return { list, entries, rest, isTied };
  });
  const tied = slices.filter(({ isTied }) => isTied);
  if (tied.length > 0) await addTies(ctx, tied);
  return slices;
}

/** To each slice, the entries that share its last stamp. */
async function addTies(ctx: Ctx, slices: (Slice & { list: string })[]): Promise<void> {
  const reads = slices.map(({ list, rest = 0 }): Command => [
    "zrange",
    list,
    ...tiesBounds(rest),
    "WITHSCORES",
  ]);
  const replies = (await exec(ctx.redis, reads)) as string[][];
  for (const [nth, slice] of slices.entries()) slice.entries.push(...toEntries(replies[nth] ?? []));
}

/** Ids of the replies to others ("tweet id:to") that are not shown. */
function hiddenAnswers(answers: Entry[], author: UserId, shows: ShowsAnswer): Set<string> {
  const hidden = new Set<string>();
  for (const { id: member } of answers) {
    const [tweet = "", to = ""] = member.split(":");
    if (!shows(author, userId(to))) hidden.add(tweet);
  }
  return hidden;
}

/** In reading order, without duplicates, cut to `limit` and the ties of the last. */
export function firstEntries(
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
