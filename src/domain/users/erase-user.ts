import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { Invalid } from "../errors.ts";
import type { UserId } from "../ids.ts";
import { stampAt } from "../stamp.ts";
import { isAdmin } from "./admins.ts";
import type { User } from "./store.ts";

/** From now on nobody finds this person. May run twice. */
export async function markDeleted(ctx: Ctx, user: UserId): Promise<void> {
  await ctx.redis.setField(keys.user(user), "deleted_at", stampAt(ctx.now(), user));
}

/** Whether there is anything left of somebody to erase; the hash goes last. */
export async function isErased(ctx: Ctx, user: UserId): Promise<boolean> {
  return (await ctx.redis.exists(keys.user(user))) === 0;
}

/** Throws Invalid: an admin who is gone leaves ADMINS with a name that counts. */
export function forbidDeleting(ctx: Ctx, user: User): void {
  if (isAdmin(ctx, user)) throw new Invalid({ form: "account.admin" });
}

/**
 * The end of an account: forgets the person. The claim of the name stays and leads to nobody, so that
 * what others wrote to @name, and links to it, never lead to somebody else.
 */
export async function eraseUser(ctx: Ctx, user: UserId): Promise<void> {
  await ctx.redis.zrem(keys.newestUsers, user);
  await ctx.redis.del(keys.user(user));
}
