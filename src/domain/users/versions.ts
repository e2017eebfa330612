import { randomUUID } from "node:crypto";
import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
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

/** Raises User.notificationsCleared; it never goes back. */
export async function raiseNotificationsCleared(
  ctx: Ctx,
  user: UserId,
  stamp: Stamp,
): Promise<void> {
  await ctx.redis.raiseField(keys.user(user), "notifications_cleared", stamp);
}

/** What decides what somebody sees, and what they have not read: each changes with it. */
export interface Marks {
  version: string;
  notices: string;
  /** Suspended, or being erased. */
  barred: boolean;
}

/** The marks of many people, in their order and in one round trip. */
export async function marksOf(ctx: Ctx, users: UserId[]): Promise<Marks[]> {
  const fields = ["version", "notified", "notifications_read", "suspended_at", "deleted_at"];
  const replies = (await exec(
    ctx.redis,
    users.map((user) => ["hmget", keys.user(user), ...fields]),
  )) as (string | null)[][];
  return replies.map(([version, notified, read, ...barred]) => ({
    version: version ?? "",
    notices: `${version} ${notified} ${read}`,
    barred: barred.some((field) => field !== null),
  }));
}
