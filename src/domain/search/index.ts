import type { Ctx } from "../../context.ts";
import { type Command, exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { charge, isSpent } from "../budget.ts";
import type { TweetId, UserId } from "../ids.ts";
import type { Stamp } from "../stamp.ts";

/** The newest tweets that a term is known to be in. */
export const listedKept = 10_000;
/** A term that nobody has used for a year is forgotten. */
const termSeconds = 365 * 24 * 60 * 60;

/** A tweet and what it is found by, its hashtags included. */
export interface Indexed {
  tweet: TweetId;
  author: UserId;
  terms: string[];
}

/** Where the tweets with a term, or with a hashtag, are listed. */
export function listOf(term: string): string {
  return term.startsWith("#") ? keys.tag(term.slice(1)) : keys.searchTerm(term);
}

/** Whether any tweet is known to have this hashtag, which is folded. */
export async function isTagUsed(ctx: Ctx, tag: string): Promise<boolean> {
  return (await ctx.redis.exists(keys.tag(tag))) === 1;
}

/**
 * Lists a tweet under its terms. Listing it twice is harmless. Most of what listing costs is the
 * number of commands, so lists are looked after only where their size asks for it. False, and it is
 * not listed, where its author has used up what they may bring in a day.
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

/** By their bytes: a list of its own takes ten times what one more tweet in a list does. */
function pointsOf({ isNew, size }: { isNew: boolean; size: number }): number {
  if (!isNew) return 0;
  return size === 1 ? 10 : 1;
}

/** A list of more than a few ids lives on with every eighth that is added. */
function upkeepOf(list: string, size: number): Command[] {
  const upkeep: Command[] = [];
  if (size > listedKept) upkeep.push(["zremrangebyrank", list, 0, -listedKept - 1]);
  if (size > listedKept || size < 8 || size % 8 === 0) upkeep.push(["expire", list, termSeconds]);
  return upkeep;
}

/** Takes a tweet that is gone off the lists of its terms. */
export async function removeFromIndex(ctx: Ctx, { tweet, terms }: Indexed): Promise<void> {
  await exec(
    ctx.redis,
    terms.map((term) => ["zrem", listOf(term), tweet]),
  );
}
