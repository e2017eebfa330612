import type { Ctx } from "../../context.ts";
import { type Command, exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
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
 * number of commands, so lists are looked after only where their size asks for it.
 */
export async function addToIndex(ctx: Ctx, { tweet, terms }: Indexed, stamp: Stamp): Promise<void> {
  const lists = terms.map(listOf);
  const replies = await exec(
    ctx.redis,
    lists.flatMap((list): Command[] => [
      ["zadd", list, stamp, tweet],
      ["zcard", list],
    ]),
  );
  await exec(
    ctx.redis,
    lists.flatMap((list, nth) => upkeepOf(list, Number(replies[2 * nth + 1]))),
  );
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
