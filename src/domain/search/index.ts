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

/** Lists a tweet under its terms. Listing it twice is harmless. */
export async function addToIndex(ctx: Ctx, { tweet, terms }: Indexed, stamp: Stamp): Promise<void> {
  const commands = terms.flatMap((term): Command[] => {
    const list = listOf(term);
    return [
      ["zadd", list, stamp, tweet],
      ["zremrangebyrank", list, 0, -listedKept - 1],
      ["expire", list, termSeconds],
    ];
  });
  await exec(ctx.redis, commands);
}

/** Takes a tweet that is gone off the lists of its terms. */
export async function removeFromIndex(ctx: Ctx, { tweet, terms }: Indexed): Promise<void> {
  await exec(
    ctx.redis,
    terms.map((term) => ["zrem", listOf(term), tweet]),
  );
}
