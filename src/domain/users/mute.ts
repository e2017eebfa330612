import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { Invalid } from "../errors.ts";
import type { UserId } from "../ids.ts";
import { type Entry, type Page, type Range, readPage } from "../page.ts";
import { stampAt } from "../stamp.ts";

export interface Mute {
  muter: UserId;
  muted: UserId;
}

/**
 * The muted user does not learn of it. Muting twice changes nothing. Throws Invalid for oneself.
 */
export async function mute(ctx: Ctx, { muter, muted }: Mute): Promise<void> {
  if (muter === muted) throw new Invalid({ form: "mute.self" });
  const stamp = stampAt(ctx.now(), muted);
  await ctx.redis.addAnyway(keys.mutes(muter), "NX", stamp, muted);
}

/** Unmuting somebody who is not muted changes nothing. */
export async function unmute(ctx: Ctx, { muter, muted }: Mute): Promise<void> {
  await ctx.redis.zrem(keys.mutes(muter), muted);
}

/** Whom somebody has muted, newest first. */
export async function mutesPage(ctx: Ctx, user: UserId, range: Range): Promise<Page<Entry>> {
  return await readPage(ctx.redis, keys.mutes(user), range);
}
