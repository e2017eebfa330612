import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import { Invalid } from "../errors.ts";
import type { UserId } from "../ids.ts";
import { stampAt } from "../stamp.ts";
import { isAdmin } from "./roles.ts";
import type { User } from "./store.ts";

/** Hides the user from all readers at once. May run twice. */
export async function markDeleted(ctx: Ctx, user: UserId): Promise<void> {
  await ctx.redis.setField(keys.user(user), "deleted_at", stampAt(ctx.now(), user));
}

/** Whether the user is erased completely; the hash goes last. */
export async function isErased(ctx: Ctx, user: UserId): Promise<boolean> {
  return (await ctx.redis.exists(keys.user(user))) === 0;
}

/** Throws Invalid for an admin: a deleted admin would leave a name in ADMINS that still counts. */
export function forbidDeleting(ctx: Ctx, user: User): void {
  if (isAdmin(ctx, user)) throw new Invalid({ form: "account.admin" });
}

/**
 * The last step of erasing an account: deletes the user's hash. The claim of the name stays and leads to no
 * user, so that mentions of @name, and links to it, never lead to another user.
 */
export async function eraseUser(ctx: Ctx, user: UserId): Promise<void> {
  await ctx.redis.zrem(keys.newestUsers, user);
  await ctx.redis.del(keys.user(user));
}
