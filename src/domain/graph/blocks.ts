import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { Blocked, NotFound } from "../errors.ts";
import type { UserId } from "../ids.ts";
import { type Entry, type Page, type Range, readPage } from "../page.ts";
import { findUser } from "../users/store.ts";

/** Whether either has blocked the other. Reads the truth, at this moment. */
export async function isBlocked(ctx: Ctx, one: UserId, other: UserId): Promise<boolean> {
  if (one === other) return false;
  const stamps = await exec(ctx.redis, [
    ["zscore", keys.blocks(one), other],
    ["zscore", keys.blocks(other), one],
  ]);
  return stamps.some((stamp) => stamp !== null);
}

/**
 * For an action of `one` on `other` or their tweets. Reads the truth, at this moment. Throws NotFound if
 * `other` is gone or suspended, Blocked if either blocked the other.
 */
export async function requireNoBlock(ctx: Ctx, one: UserId, other: UserId): Promise<void> {
  if (one === other) return;
  const [user, blocked] = await Promise.all([findUser(ctx, other), isBlocked(ctx, one, other)]);
  if (user === undefined || user.suspended) throw new NotFound("user");
  if (blocked) throw new Blocked("a block");
}

/** The users blocked by `user`, newest first. */
export async function blocksPage(ctx: Ctx, user: UserId, range: Range): Promise<Page<Entry>> {
  return await readPage(ctx.redis, keys.blocks(user), range);
}
