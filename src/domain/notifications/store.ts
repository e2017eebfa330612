import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { type TweetId, tweetId, type UserId, userId } from "../ids.ts";
import { type Entry, toEntries, upTo } from "../page.ts";
import type { Stamp } from "../stamp.ts";
import { markCleared } from "./marks.ts";

/** Kinds of notifications. */
export const kinds = ["follow", "like", "retweet", "mention", "reply"] as const;
export type Kind = (typeof kinds)[number];

/** An action of the user `actor`. */
export interface Deed {
  kind: Kind;
  actor: UserId;
  /** The tweet that was liked, retweeted or written; a follow has none. */
  tweet?: TweetId | undefined;
}

export interface Notification extends Deed {
  stamp: Stamp;
}

/** Max notifications of a user; the oldest are dropped. */
export const notificationsKept = 1000;

/** May run twice: the first stamp stays. */
export async function addNotification(
  ctx: Ctx,
  to: UserId,
  { stamp, ...deed }: Notification,
): Promise<void> {
  const key = keys.notifications(to);
  await exec(ctx.redis, [
    ["zadd", key, "NX", stamp, serializeDeed(deed)],
    ["zremrangebyrank", key, 0, -notificationsKept - 1],
  ]);
}

/** May run twice. */
export async function removeNotifications(ctx: Ctx, to: UserId, deeds: Deed[]): Promise<void> {
  if (deeds.length === 0) return;
  await ctx.redis.zrem(keys.notifications(to), ...deeds.map(serializeDeed));
}

/** Removes all notifications. The mark comes first, so that a repeated delivery does not add them again. */
export async function clearNotifications(ctx: Ctx, user: UserId): Promise<void> {
  const key = keys.notifications(user);
  const [, newest] = await ctx.redis.zrange(key, 0, "0", "REV", "WITHSCORES");
  if (newest === undefined) return;
  await markCleared(ctx, user, Number(newest));
  await ctx.redis.zremrangebyscore(key, "-inf", newest);
}

/** Notifications between the stamps `after` and `before`, newest first; at most notificationsKept. */
export async function notificationsAfter(
  ctx: Ctx,
  user: UserId,
  after: Stamp,
  before?: Stamp,
): Promise<Notification[]> {
  const key = keys.notifications(user);
  const reply = await ctx.redis.zrange(
    key,
    upTo(before),
    `(${after}`,
    "BYSCORE",
    "REV",
    "LIMIT",
    0,
    notificationsKept,
    "WITHSCORES",
  );
  return toEntries(reply).flatMap(read);
}

/** Member of the list: "like:12:7"; "follow::7". */
export function serializeDeed({ kind, tweet, actor }: Deed): string {
  return `${kind}:${tweet ?? ""}:${actor}`;
}

/** Empty for an unknown kind, as after a downgrade. */
function read({ id, stamp }: Entry): Notification[] {
  const [word, tweet = "", actor = ""] = id.split(":");
  const kind = kinds.find((known) => known === word);
  if (kind === undefined) return [];
  return [{ kind, tweet: tweet === "" ? undefined : tweetId(tweet), actor: userId(actor), stamp }];
}
