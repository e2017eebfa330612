import type { Ctx } from "../../context.ts";
import { type Command, exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { charge, isSpent } from "../budget.ts";
import type { TweetId, UserId } from "../ids.ts";
import type { Stamp } from "../stamp.ts";

/** Max tweets of a term; the oldest are dropped. */
export const listedKept = 10_000;
/** TTL of a term that is not used any more. */
const termSeconds = 365 * 24 * 60 * 60;

/** A tweet with its terms, including its hashtags. */
export interface Indexed {
  tweet: TweetId;
  author: UserId;
  terms: string[];
}

/** Key of the list of tweets with a term, or with a hashtag. */
export function listOf(term: string): string {
  return term.startsWith("#") ? keys.tag(term.slice(1)) : keys.searchTerm(term);
}

/** Whether any listed tweet has this hashtag (folded). */
export async function isTagUsed(ctx: Ctx, tag: string): Promise<boolean> {
  return (await ctx.redis.exists(keys.tag(tag))) === 1;
}

/**
 * Lists a tweet under its terms. May run twice. Most of the cost is the number of commands, so lists are
 * trimmed only if their size asks for it. False, without listing, if the author's budget of the day is spent.
 */
export async function addToIndex(
  ctx: Ctx,
  { tweet, author, terms }: Indexed,
  stamp: Stamp,
): Promise<boolean> {
  if (terms.length === 0) return true;
  if (await isSpent(ctx, "terms", author)) return false;
  const lists = terms.map(listOf);
  const replies = (await exec(
    ctx.redis,
    lists.flatMap((list): Command[] => [
      ["zadd", list, stamp, tweet],
      ["zcard", list],
    ]),
  )) as number[];
  const entries = lists.map((list, nth) => ({
    list,
    isNew: replies[2 * nth] === 1,
    size: replies[2 * nth + 1] ?? 0,
  }));
  const points = entries.reduce((sum, entry) => sum + pointsOf(entry), 0);
  await Promise.all([
    exec(
      ctx.redis,
      entries.flatMap(({ list, size }) => upkeepOf(list, size)),
    ),
    charge(ctx, "terms", { user: author, points }),
  ]);
  return true;
}

/** By bytes: a new list takes ten times as many as one more tweet in a list. */
function pointsOf({ isNew, size }: { isNew: boolean; size: number }): number {
  if (!isNew) return 0;
  return size === 1 ? 10 : 1;
}

/** Lists with more than a few ids are renewed only at every eighth addition. */
function upkeepOf(list: string, size: number): Command[] {
  const upkeep: Command[] = [];
  if (size > listedKept) upkeep.push(["zremrangebyrank", list, 0, -listedKept - 1]);
  if (size > listedKept || size < 8 || size % 8 === 0) upkeep.push(["expire", list, termSeconds]);
  return upkeep;
}

/** Removes a deleted tweet from the lists of its terms. */
export async function removeFromIndex(ctx: Ctx, { tweet, terms }: Indexed): Promise<void> {
  await exec(
    ctx.redis,
    terms.map((term) => ["zrem", listOf(term), tweet]),
  );
}
