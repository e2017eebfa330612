import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys, mostOf, ttlOf } from "../../redis/keys.ts";
import { digestOf } from "../secrets.ts";
import { followedAmong, followersAmong } from "../graph/follows.ts";
import type { UserId } from "../ids.ts";
import { typeOf } from "../notifications/api-names.ts";
import { type NotificationItem, notificationsAt } from "../notifications/single.ts";
import { serializeAction } from "../notifications/store.ts";
import type { User } from "../users/store.ts";
import type { Subscription } from "./subscriptions.ts";

/** Max age of a notification that is still pushed. Less than a claim lasts, so that none is pushed twice. */
const maxAgeMilliseconds = 4 * 60 * 60 * 1000;

/**
 * The notification of an activity, as the user's list shows it at this moment. Undefined if it was withdrawn, cleared or
 * read, if it is old, or if the list hides it: muted or blocked users, muted words, users who are suspended.
 */
export async function findPushable(ctx: Ctx, user: User, activity: string) {
  const stamp = Number((await ctx.redis.zscore(keys.notifications(user.id), activity)) ?? 0);
  const isOld = stamp / 1000 < ctx.now() - maxAgeMilliseconds;
  if (isOld || stamp <= user.notificationsRead) return undefined;
  const items = await notificationsAt(ctx, user, stamp);
  const item = items.find((one) => serializeAction(one) === activity);
  return item?.tweet !== undefined && item.item === undefined ? undefined : item;
}

/** Tells which subscriptions want a push of it. */
export async function wantsPush(ctx: Ctx, { id }: User, { kind, actor }: NotificationItem) {
  const [followed, followers] = await Promise.all([
    followedAmong(ctx, id, [actor]),
    followersAmong(ctx, id, [actor]),
  ]);
  const isKnown = {
    all: true,
    followed: followed.has(actor),
    follower: followers.has(actor),
    none: false,
  };
  return ({ alerts, policy }: Subscription) => alerts.has(typeOf[kind]) && isKnown[policy];
}

const daySeconds = ttlOf("pushed");

/**
 * Claims the push of an activity ("like:12:7") to a subscription, once a day: false if it was claimed before, or if the
 * user has had enough pushes. Claiming comes before sending, so a job that runs twice sends once.
 */
export async function claimPush(ctx: Ctx, user: UserId, to: Subscription, activity: string) {
  const key = keys.pushed(user);
  const now = ctx.now();
  const claim = nameOf(to, activity);
  const [, count, added] = await exec(ctx.redis, [
    ["zremrangebyscore", key, "-inf", now - daySeconds * 1000],
    ["zcard", key],
    ["zadd", key, "NX", now, claim],
    ["expire", key, daySeconds],
  ]);
  if (added !== 1) return false;
  if (Number(count) < mostOf("pushed")) return true;
  await ctx.redis.zrem(key, claim);
  return false;
}

/** For a push that certainly was not taken: it may be tried again. */
export async function releasePush(ctx: Ctx, user: UserId, to: Subscription, activity: string) {
  await ctx.redis.zrem(keys.pushed(user), nameOf(to, activity));
}

function nameOf({ holder }: Subscription, activity: string): string {
  return `${digestOf(holder.id).slice(0, 16)}:${activity}`;
}
