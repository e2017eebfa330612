import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import type { UserId } from "../ids.ts";
import { stampAt } from "../stamp.ts";
import { foldName } from "./names.ts";
import { rememberedUsers } from "./remembered.ts";
import { closeSessions, listSessions, sessionPrefix } from "./sessions.ts";

/** From now on nobody finds this person. The name stays taken until eraseUser. May run twice. */
export async function markDeleted(ctx: Ctx, user: UserId): Promise<void> {
  await ctx.redis.setField(keys.user(user), "deleted_at", stampAt(ctx.now(), user));
  rememberedUsers(ctx).delete(user);
}

/** Whether there is anything left of somebody to erase; the hash goes last. */
export async function isErased(ctx: Ctx, user: UserId): Promise<boolean> {
  return (await ctx.redis.exists(keys.user(user))) === 0;
}

/** Of somebody whom nobody finds any more. What was a session goes before the list that names it. */
export async function closeAllSessions(ctx: Ctx, user: UserId): Promise<void> {
  const open = (await listSessions(ctx, user)).map((entry) => entry.id);
  await exec(
    ctx.redis,
    open.map((session) => ["del", sessionPrefix + session]),
  );
  await closeSessions(ctx, user, open);
}

/**
 * The end of an account: gives the name free, then forgets the person. The hash goes last, as it says
 * which name was theirs; a name that somebody else claimed meanwhile stays theirs.
 */
export async function eraseUser(ctx: Ctx, user: UserId): Promise<void> {
  await ctx.redis.zrem(keys.newestUsers, user);
  const name = await ctx.redis.hget(keys.user(user), "name");
  if (name !== null) await ctx.redis.releaseClaim(keys.username(foldName(name)), user);
  await ctx.redis.del(keys.user(user));
}
