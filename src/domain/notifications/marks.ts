import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import type { UserId } from "../ids.ts";
import type { Stamp } from "../stamp.ts";
import type { User } from "../users/store.ts";

/** Stores that a user has read up to `stamp`. Writes nothing if they had before. */
export async function markRead(ctx: Ctx, user: User, stamp: Stamp): Promise<void> {
  if (stamp > user.notificationsRead)
    await ctx.redis.raiseField(keys.user(user.id), "notifications_read", stamp);
}

/** Raises User.notificationsCleared; it never goes back. */
export async function markCleared(ctx: Ctx, user: UserId, stamp: Stamp): Promise<void> {
  await ctx.redis.raiseField(keys.user(user), "notifications_cleared", stamp);
}
