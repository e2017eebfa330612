import type { Ctx } from "../../context.ts";
import { exec } from "../../redis/exec.ts";
import { keys } from "../../redis/keys.ts";
import { type TweetId, tweetId, type UserId, userId } from "../ids.ts";
import { type Entry, toEntries, upTo } from "../page.ts";
import type { Stamp } from "../stamp.ts";
import { markCleared } from "./marks.ts";

/** What somebody can be told of. */
export const kinds = ["follow", "like", "retweet", "mention", "reply"] as const;
export type Kind = (typeof kinds)[number];

/** Something that `actor` did. */
export interface Deed {
  kind: Kind;
  actor: UserId;
  /** What was liked or retweeted, or what was written; a follow has none. */
  tweet?: TweetId | undefined;
}

export interface Notification extends Deed {
  stamp: Stamp;
}

/** A person's newest notifications are kept, so many. */
export const notificationsKept = 1000;

/** Adding twice is harmless: the first stamp stays. */
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

/** Taking out what is not there is harmless. */
export async function removeNotifications(ctx: Ctx, to: UserId, deeds: Deed[]): Promise<void> {
  if (deeds.length === 0) return;
  await ctx.redis.zrem(keys.notifications(to), ...deeds.map(serializeDeed));
}

/** All that somebody was told. A delivery that runs again does not tell it again: the mark comes first. */
export async function clearNotifications(ctx: Ctx, user: UserId): Promise<void> {
  const key = keys.notifications(user);
  const [, newest] = await ctx.redis.zrange(key, 0, "0", "REV", "WITHSCORES");
  if (newest === undefined) return;
  await markCleared(ctx, user, Number(newest));
  await ctx.redis.zremrangebyscore(key, "-inf", newest);
}

/** Those after the stamp `after`, and before the stamp `before`, newest first; never more than are kept. */
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

/** One of a kind: "like:12:7"; "follow::7". */
export function serializeDeed({ kind, tweet, actor }: Deed): string {
  return `${kind}:${tweet ?? ""}:${actor}`;
}

/** Nothing for a kind that nobody knows, as after a downgrade. */
function read({ id, stamp }: Entry): Notification[] {
  const [word, tweet = "", actor = ""] = id.split(":");
  const kind = kinds.find((known) => known === word);
  if (kind === undefined) return [];
  return [{ kind, tweet: tweet === "" ? undefined : tweetId(tweet), actor: userId(actor), stamp }];
}
