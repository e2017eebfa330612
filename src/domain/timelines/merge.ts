import { Cluster } from "ioredis";
import type { Ctx } from "../../context.ts";
import { inBatches } from "../concurrency-limit.ts";
import { execEach } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { type UserId, userId, type Stamp } from "../ids.ts";
import { boundsOf, type Entry, type Range, rangeBeyond, tiesShown, toEntries } from "../page.ts";

/** Authors read by one call: Redis does nothing else while it runs, about a millisecond. */
const authorsAtOnce = 500;
/** Sources that are read first; the next ones are four times as many. They find out how far back the others matter. */
const sourcesAtFirst = 100;
/** Entries read of all sources together, once one page of each was not enough: most may be replies that are not shown. */
const entriesAtOnce = 2000;
/** So few authors are read through the memory: a profile stays a kept page. */
const fewAuthors = 50;

/** One read of an author or a list, with all that share its last stamp. `rest`: where to continue; undefined at the end. */
interface Slice {
  source: string;
  entries: Entry[];
  rest: Stamp | undefined;
}

/** Reads the first `most` entries of each source. */
type ReadFirst = (sources: string[], range: Range, most: number) => Promise<Entry[][]>;

/** Whether a reply of `author` to another user is shown. */
type ShowsAnswer = (author: UserId, to: UserId) => boolean;

/**
 * The first tweets of many authors together, in reading order: at least `limit` unless there are no more, and
 * more only if several share the last stamp. Replies to others are left out unless `shows` accepts them. Reads
 * a few tweets of each author; reads more only of authors whose tweets were all among the first. At most `few` authors
 * are read through the memory, which tells pages and streams of changes.
 */
export async function mergeUserTimelines(
  ctx: Ctx,
  authors: UserId[],
  range: Range,
  shows: ShowsAnswer = () => true,
  few = fewAuthors,
): Promise<Entry[]> {
  const isEachAsked = authors.length <= few || ctx.redis instanceof Cluster;
  const readWritten = isEachAsked ? askForAuthors : readAuthors;
  const read: ReadFirst = async (sources, part, most) =>
    await readWritten(ctx, sources.map(userId), part, most);
  return await mergeSlices(authors, range, read, (author) => shownOf(userId(author), shows));
}

/** The same of any lists of tweet ids, such as those of hashtags: each is one question to the memory. */
export async function mergeLists(ctx: Ctx, lists: string[], range: Range): Promise<Entry[]> {
  const read: ReadFirst = async (sources, part, most) => await readLists(ctx, sources, part, most);
  return await mergeSlices(lists, range, read, () => (entry) => [entry]);
}

/** Several tweets may share a stamp, also imported ones of one author: the one after the last tells. */
async function readSlices(read: ReadFirst, sources: string[], range: Range, count: number) {
  const lists = await read(sources, range, count + 1);
  const slices = sources.map(async (source, nth): Promise<Slice> => {
    const entries = lists[nth] ?? [];
    const first = entries.slice(0, count);
    const rest = entries.length <= count ? undefined : first.at(-1)?.stamp;
    if (rest === undefined || entries[count]?.stamp !== rest)
      return { source, entries: first, rest };
    const moment = { ...range, before: rest + 1, after: rest - 1 };
    const [ties = []] = await read([source], moment, tiesShown);
    return { source, entries: [...first, ...ties], rest };
  });
  return await Promise.all(slices);
}

/** `shown`: what is shown of an entry of a source. */
async function mergeSlices(
  all: string[],
  range: Range,
  read: ReadFirst,
  shown: (source: string) => (entry: Entry) => Entry[],
): Promise<Entry[]> {
  const { limit, upwards } = range;
  let entries: Entry[] = [];
  let sources = all;
  /** Where all sources are read from, so that one call reads many: what lies between is read twice. */
  let from = range;
  let share = Math.ceil((2 * limit) / Math.max(1, all.length));
  let most = limit;
  while (sources.length > 0) {
    const rests = new Map<string, Stamp>();
    const count = Math.min(share, most);
    for (const part of growingParts(sources)) {
      const slices = await readSlices(read, part, within(from, entries, limit), count);
      const more = slices.flatMap((slice) => slice.entries.flatMap(shown(slice.source)));
      entries = firstEntries([...entries, ...more], range);
      for (const { source, rest } of slices) if (rest !== undefined) rests.set(source, rest);
    }
    const edge = edgeOf(entries, limit);
    sources = [...rests.keys()].filter((source) => !isPast(rests.get(source), edge, upwards));
    const open = sources.map((source) => rests.get(source) ?? 0);
    from = rangeBeyond(range, upwards === true ? Math.min(...open) : Math.max(...open));
    share *= 4;
    most = Math.max(limit, Math.floor(entriesAtOnce / Math.max(1, sources.length)));
  }
  return entries;
}

function growingParts(sources: string[]): string[][] {
  const parts: string[][] = [];
  for (let first = 0, size = sourcesAtFirst; first < sources.length; first += size, size *= 4)
    parts.push(sources.slice(first, first + size));
  return parts;
}

/** The last stamp that can still matter, once there are enough tweets. */
function edgeOf(entries: Entry[], limit: number): Stamp | undefined {
  return entries.length < limit ? undefined : entries.at(-1)?.stamp;
}

/** Whether what lies beyond the stamp `rest` is after the edge, in reading order. */
function isPast(rest: Stamp = 0, edge: Stamp | undefined, upwards: boolean | undefined): boolean {
  if (edge === undefined) return false;
  return upwards === true ? rest >= edge : rest <= edge;
}

/** The range, cut at the edge of the first entries. */
function within(range: Range, entries: Entry[], limit: number): Range {
  const edge = edgeOf(entries, limit);
  if (edge === undefined) return range;
  return range.upwards === true
    ? { ...range, before: Math.min(range.before ?? Infinity, edge + 1) }
    : { ...range, after: Math.max(range.after ?? 0, edge - 1) };
}

/** Of an entry of an author, the tweet: none, if it is a reply ("tweet id:to") that is not shown. */
function shownOf(author: UserId, shows: ShowsAnswer): (entry: Entry) => Entry[] {
  return ({ id: member, stamp }) => {
    const [id = "", to] = member.split(":");
    return to === undefined || shows(author, userId(to)) ? [{ id, stamp }] : [];
  };
}

/** The first `most` tweets of each author in a range. Replies are "tweet id:to". */
async function askForAuthors(ctx: Ctx, authors: UserId[], range: Range, most: number) {
  const [written, replies] = await Promise.all([
    readLists(ctx, authors.map(keys.userTimeline), range, most),
    // Every reply is a tweet, so as many reach as far; twice as many, as some may be newer by now.
    readLists(ctx, authors.map(keys.replies), range, 2 * most),
  ]);
  return written.map((entries, nth) => {
    const members = new Map(replies[nth]?.map(({ id }) => [id.split(":")[0], id]));
    return entries.map(({ id, stamp }) => ({ id: members.get(id) ?? id, stamp }));
  });
}

/** The same by a script, for a server with all keys. */
async function readAuthors({ redis }: Ctx, authors: UserId[], range: Range, most: number) {
  const [bottom, top] = boundsOf({ ...range, upwards: true });
  const direction = range.upwards === true ? "up" : "down";
  const lists = [keys.userTimeline, keys.replies].flatMap((key) => key(userId(7)).split("7"));
  const calls = [...inBatches(authors, authorsAtOnce)].map(async (part) => {
    const route = keys.userTimeline(part[0] as UserId);
    return await redis.readAuthors(route, most, direction, bottom, top, ...lists, ...part);
  });
  const lines = (await Promise.all(calls)).flatMap((text) => text.split("\n"));
  return lines.map((line) => (line === "" ? [] : toEntries(line.split(" "))));
}

/** The first `most` entries of each list in a range. */
async function readLists(ctx: Ctx, lists: string[], range: Range, most: number) {
  const part = [...boundsOf(range), "LIMIT", 0, most, "WITHSCORES"] as const;
  const replies = await execEach(ctx.redis, lists, (list) => ["zrange", list, ...part]);
  return (replies as string[][]).map(toEntries);
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
