import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { Blocked, Invalid, NotFound } from "../errors.ts";
import type { UserId } from "../ids.ts";
import { type Entry, type Page, type Range, readPage } from "../page.ts";
import { promiseRemoval } from "../promises.ts";
import { stampAt } from "../stamp.ts";
import { findUser } from "./store.ts";

export interface Block {
  blocker: UserId;
  blocked: UserId;
}

/**
 * The blocker's `blocks` are the truth; `blocked_by` mirrors them. The job is promised first: should
 * this process end between the two, it makes them agree. Blocking works in a full memory, too, and
 * twice changes nothing. Throws Invalid for oneself. Follows are not ended here: see timelines/block.ts.
 */
export async function writeBlock(ctx: Ctx, block: Block): Promise<void> {
  const { blocker, blocked } = block;
  if (blocker === blocked) throw new Invalid({ form: "block.self" });
  await promiseRemoval(ctx, () => ctx.jobs.chore("settle-block", block, "later"));
  const stamp = stampAt(ctx.now(), blocked);
  await ctx.redis.addAnyway(keys.blocks(blocker), "NX", stamp, blocked);
  await mirrorBlock(ctx, block);
}

/** See writeBlock. Unblocking somebody who is not blocked changes nothing. */
export async function writeUnblock(ctx: Ctx, block: Block): Promise<void> {
  await promiseRemoval(ctx, () => ctx.jobs.chore("settle-block", block, "later"));
  await ctx.redis.zrem(keys.blocks(block.blocker), block.blocked);
  await mirrorBlock(ctx, block);
}

/** Makes `blocked_by` agree with the truth, stamp included; returns whether the block holds. */
export async function mirrorBlock(ctx: Ctx, { blocker, blocked }: Block): Promise<boolean> {
  const since = await ctx.redis.zscore(keys.blocks(blocker), blocked);
  if (since === null) await ctx.redis.zrem(keys.blockedBy(blocked), blocker);
  else await ctx.redis.addAnyway(keys.blockedBy(blocked), since, blocker);
  // Either may see other things from now on.
  return since !== null;
}

/** Whether either has blocked the other, at this very moment: the truth is asked. */
export async function isBlocked(ctx: Ctx, one: UserId, other: UserId): Promise<boolean> {
  if (one === other) return false;
  const stamps = await exec(ctx.redis, [
    ["zscore", keys.blocks(one), other],
    ["zscore", keys.blocks(other), one],
  ]);
  return stamps.some((stamp) => stamp !== null);
}

/**
 * For what one does to another or to their tweets, at this very moment. Throws NotFound if the other is
 * gone or suspended, Blocked if either blocked the other.
 */
export async function requireNoBlock(ctx: Ctx, one: UserId, other: UserId): Promise<void> {
  if (one === other) return;
  const [user, blocked] = await Promise.all([findUser(ctx, other), isBlocked(ctx, one, other)]);
  if (user === undefined || user.suspended) throw new NotFound("user");
  if (blocked) throw new Blocked("a block");
}

/** Whom somebody has blocked, newest first. */
export async function blocksPage(ctx: Ctx, user: UserId, range: Range): Promise<Page<Entry>> {
  return await readPage(ctx.redis, keys.blocks(user), range);
}
