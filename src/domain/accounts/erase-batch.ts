import type { Ctx } from "../../context.ts";
import type { UserId } from "../ids.ts";

/**
 * Erases a portion of a deleted user's data, and tells whether there may be more. Each step first removes what
 * refers to the user elsewhere, and last the entry that tells where that is: so a later run finds what a crash
 * left.
 */
export type EraseStep = (ctx: Ctx, user: UserId) => Promise<boolean>;

/** Entries of one list in a portion. */
export const atOnce = 100;

export async function nextBatch(ctx: Ctx, key: string): Promise<string[]> {
  return await ctx.redis.zrange(key, 0, String(atOnce - 1));
}

export async function remove(ctx: Ctx, key: string, members: string[]): Promise<void> {
  if (members.length > 0) await ctx.redis.zrem(key, ...members);
}

export async function each<Item>(
  items: Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  await Promise.all(items.map(work));
}
