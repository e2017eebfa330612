import type { Ctx } from "../../context.ts";
import { type Command, exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { type UserId, userId } from "../ids.ts";
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

/** What was read of somebody's timeline at a time. */
interface Slice {
  entries: Entry[];
  /** Where to go on; undefined at the end. */
  rest: Stamp | undefined;
}

/** Whether a reply of `author` to somebody else is shown. */
export type ShowsAnswer = (author: UserId, to: UserId) => boolean;

/**
 * The newest tweets of many authors together, newest first: at least `limit` unless there are no
 * more, and more only where several share the last one's stamp. Replies to others are left out but
 * for those that `shows` lets pass. Each author is asked for a few; only those whose few were all
 * among the newest are asked for more.
 */
export async function mergeUserTimelines(
  ctx: Ctx,
  authors: UserId[],
  { before, limit }: Range,
  shows: ShowsAnswer = () => true,
): Promise<Entry[]> {
  let newest: Entry[] = [];
  let sources: Source[] = authors.map((author) => ({ author, before }));
  let share = Math.max(fewest, Math.ceil((2 * limit) / Math.max(1, authors.length)));
  while (sources.length > 0) {
    const goOn: Source[] = [];
    for (let first = 0; first < sources.length; first += authorsAtOnce) {
      const group = sources.slice(first, first + authorsAtOnce);
      const wanted = { count: Math.min(share, limit), from: least(newest, limit) };
      const slices = await readTimelines(ctx, group, wanted, shows);
      newest = newestOf([...newest, ...slices.flatMap((slice) => slice.entries)], limit);
      for (const [index, { author }] of group.entries()) {
        const rest = slices[index]?.rest;
        if (rest !== undefined) goOn.push({ author, before: rest });
      }
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

/**
 * As many of an author's newest replies as of their newest tweets are asked for: so they reach as far
 * back, as every reply is a tweet.
 */
async function readTimelines(
  ctx: Ctx,
  sources: Source[],
  { count, from }: { count: number; from: Stamp },
  shows: ShowsAnswer,
): Promise<Slice[]> {
  const read = (key: string, before: Stamp | undefined): Command => [
    ...(["zrange", key, upTo(before), from, "BYSCORE", "REV"] as const),
    ...(["LIMIT", 0, count, "WITHSCORES"] as const),
  ];
  const replies = (await exec(
    ctx.redis,
    sources.flatMap(({ author, before }) => [
      read(keys.userTimeline(author), before),
      read(keys.replies(author), before),
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

/** Sorted, without repeats, cut to `limit` and the ties of the last. */
export function newestOf(entries: Entry[], limit: number): Entry[] {
  const unique = [...new Map(entries.map((entry) => [entry.id, entry])).values()];
  unique.sort((one, other) => other.stamp - one.stamp || Number(other.id) - Number(one.id));
  const edge = unique[limit - 1]?.stamp;
  if (edge === undefined) return unique;
  return unique.filter((entry, index) => index < limit || entry.stamp === edge);
}
