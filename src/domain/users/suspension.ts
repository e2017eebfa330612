import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { Forbidden } from "../errors.ts";
import { type Page, type Range, readPage } from "../page.ts";
import { stampAt } from "../ids.ts";
import { nextGeneration } from "./log-in.ts";
import { isModerator } from "./roles.ts";
import { closeAllSessions } from "./sessions.ts";
import { listNewest } from "./sign-up.ts";
import { findListedUsers, type ListedUser } from "./listed.ts";
import type { User } from "./store.ts";

/** An admin takes the role first. Throws Forbidden. */
export function forbidSuspending(ctx: Ctx, user: User): void {
  if (isModerator(ctx, user)) throw new Forbidden("a moderator or admin cannot be suspended");
}

/**
 * Suspends a user: they are signed out everywhere and cannot sign in, and nothing of theirs is shown until
 * they are reinstated. `suspended_at` is the truth: it refuses a session that another process opens at this
 * moment, and such a session stays invalid after the user is reinstated. May run twice, and again after it
 * ended halfway. Throws Forbidden for a moderator or admin.
 */
export async function suspendUser(ctx: Ctx, user: User): Promise<void> {
  forbidSuspending(ctx, user);
  const stamp = stampAt(ctx.now(), user.id);
  // Before the field, so that every suspended user is in the list.
  await ctx.redis.addAnyway(keys.suspended, "NX", stamp, user.id);
  await ctx.redis.setField(keys.user(user.id), "suspended_at", stamp, ...nextGeneration());
  await closeAllSessions(ctx, user.id);
  await ctx.redis.zrem(keys.newestUsers, user.id);
  await ctx.memory.settled();
}

/** May run twice, and again after it ended halfway. */
export async function reinstateUser(ctx: Ctx, user: User): Promise<void> {
  await exec(ctx.redis, [["hdel", keys.user(user.id), "suspended_at"]]);
  if (!user.waiting) await listNewest(ctx, user.id, user.createdAt);
  await ctx.redis.zrem(keys.suspended, user.id);
}

/** Suspended users, newest first. */
export async function suspendedPage(ctx: Ctx, range: Range): Promise<Page<ListedUser>> {
  const { items, older } = await readPage(ctx.redis, keys.suspended, range);
  const listed = await findListedUsers(ctx, items);
  return { items: listed.filter(({ user }) => user.suspended), older };
}
