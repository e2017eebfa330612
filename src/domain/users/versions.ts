import { randomUUID } from "node:crypto";
import type { Ctx } from "../../context.ts";
import { keys } from "../../redis/keys.ts";
import type { UserId } from "../ids.ts";
import type { Stamp } from "../stamp.ts";

/** After a change of what somebody may see: see User.version. */
export async function touchUser(ctx: Ctx, user: UserId): Promise<void> {
  await ctx.redis.setField(keys.user(user), "version", randomUUID());
}

/** After a change of somebody's notifications: see User.notified. */
export async function touchNotified(ctx: Ctx, user: UserId): Promise<void> {
  await ctx.redis.setField(keys.user(user), "notified", randomUUID());
}

/** Raises User.notificationsRead; it never goes back. */
export async function raiseNotificationsRead(ctx: Ctx, user: UserId, stamp: Stamp): Promise<void> {
  await ctx.redis.raiseField(keys.user(user), "notifications_read", stamp);
}
