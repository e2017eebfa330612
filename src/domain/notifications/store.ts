import type { Ctx } from "../../context.ts";
import { keys, mostOf, ttlOf } from "../../redis/keys.ts";
import { exec, execEach } from "../../redis/exec.ts";
import type { FeedItem } from "../feeds/types.ts";
import { relationsTo } from "../graph/relations.ts";
import { type TweetId, tweetId, type UserId, userId, type Stamp, stampAt } from "../ids.ts";
import { type Entry, toEntries, upperBound } from "../page.ts";
import { recallTweetsById } from "../tweets/store.ts";
import { mentionsOrAnswers, type Tweet } from "../tweets/tweet.ts";
import { findUser, type User } from "../users/store.ts";
import { isInMutedConversation } from "./muted-conversations.ts";
import { followedAmong } from "../graph/follows.ts";
import { isOnFirstDay, limiterOf } from "../limiter.ts";

/** Kinds of notifications. Their positions are digits of ids, see api-names.ts: a new kind goes to the end. */
export const notificationKinds = [
  "follow",
  "like",
  "retweet",
  "mention",
  "reply",
  "status",
  "follow_request",
  "poll",
] as const;
export type NotificationKind = (typeof notificationKinds)[number];

/** Whether the tweet is by the actor: the notification shows it whole. */
export function isWritten(kind: NotificationKind): boolean {
  return ["reply", "mention", "status", "poll"].includes(kind);
}

/** An action of the user `actor`. */
export interface Action {
  kind: NotificationKind;
  actor: UserId;
  /**
   * The tweet that was liked, retweeted or written; a follow or a request has none. "status": the recipient follows the
   * author with notifications. "poll": the poll of the tweet has ended.
   */
  tweet?: TweetId | undefined;
}

export interface Notification extends Action {
  stamp: Stamp;
}

/** An action, and the user who is notified of it. */
export type Notice = Action & { to: UserId };

/** Max notifications of a user; the oldest are dropped. */
export const notificationsKept = mostOf("notifications");

/**
 * Notifies the answered user and the mentioned users of a tweet, with the time of delivery; of a message, those who
 * hear of it. May run twice.
 */
export async function notifyOfTweet(ctx: Ctx, tweet: Tweet, hearers?: ReadonlySet<UserId>) {
  const stamp = stampAt(ctx.now(), tweet.id);
  const notices = noticesOf(tweet).filter(({ to }) => hearers?.has(to) !== false);
  const isAnswer = notices.length > 0 && (await answersCall(ctx, tweet));
  await Promise.all(
    notices.map((notice) =>
      notify(ctx, { ...notice, stamp, expected: isAnswer && notice.kind === "reply" }),
    ),
  );
}

/** Whether a tweet answers one that had answered or mentioned its author. */
async function answersCall(ctx: Ctx, { author, replyTo }: Tweet): Promise<boolean> {
  if (replyTo === undefined) return false;
  const answered = (await recallTweetsById(ctx, [replyTo.tweet])).get(replyTo.tweet);
  return answered !== undefined && mentionsOrAnswers(answered, author);
}

/** Removes the notifications of a deleted tweet, and of its likes and retweets. May run twice. */
export async function retractTweet(ctx: Ctx, tweet: Tweet): Promise<void> {
  await Promise.all([
    ...noticesOf(tweet).map((notice) => retract(ctx, notice)),
    retractAbout(ctx, { to: tweet.author, tweet: tweet.id }),
  ]);
}

/** The answered user is not notified of a mention as well. */
function noticesOf({ id, author: actor, replyTo, mentions = [] }: Tweet): Notice[] {
  const notices: Notice[] = [];
  if (replyTo !== undefined) notices.push({ to: replyTo.author, kind: "reply", tweet: id, actor });
  for (const { id: to } of mentions)
    if (to !== replyTo?.author) notices.push({ to, kind: "mention", tweet: id, actor });
  return notices;
}

/** Notifies a tweet's author of a like or retweet; without a stamp, removes that notification. May run twice. */
export async function notifyOfReaction(
  ctx: Ctx,
  { id: tweet, author: to }: Pick<Tweet, "id" | "author">,
  { kind, actor, stamp }: { kind: "like" | "retweet"; actor: UserId; stamp: Stamp | undefined },
): Promise<void> {
  const notice: Notice = { to, kind, tweet, actor };
  if (stamp === undefined) await retract(ctx, notice);
  else await notify(ctx, { ...notice, stamp });
}

/**
 * Notifies a user of another user's action, or of the end of an own poll. Skips the user's other actions, actions of
 * users they muted, actions across a block or in a muted conversation, actions up to the last clearing, actions
 * that the user has dismissed within a day, and floods (an `expected` answer is none). May run twice; the first stamp stays.
 */
export async function notify(
  ctx: Ctx,
  { to, expected = false, ...action }: Notice & Notification & { expected?: boolean },
): Promise<void> {
  if (to === action.actor && action.kind !== "poll") return;
  const recipient = await findUser(ctx, to);
  if (recipient === undefined || action.stamp <= recipient.notificationsCleared) return;
  const { muted, blocked } = (await relationsTo(ctx, recipient, [action.actor]))(action.actor);
  if (muted || blocked) return;
  const { tweet } = action;
  if (tweet !== undefined && (await isInMutedConversation(ctx, to, tweet))) return;
  // Follows of a day are one group, as requests are, so they cannot bury anything. Voters asked for the end.
  const isCounted = !expected && !["follow", "follow_request", "poll"].includes(action.kind);
  if ((await dismissersAmong(ctx, [to], action)).size > 0) return;
  if (isCounted && (await isFlood(ctx, to, action))) return;
  await addNotification(ctx, to, action);
}

/** Those of the users who have dismissed the notification within a day. */
export async function dismissersAmong(ctx: Ctx, users: readonly UserId[], action: Action) {
  const member = serializeAction(action);
  const lists = users.map(keys.dismissed);
  const times = await execEach(ctx.redis, lists, (list) => ["zscore", list, member]);
  const since = ctx.now() - ttlOf("dismissed") * 1000;
  return new Set(users.filter((_, nth) => Number(times[nth]) > since));
}

/** Removes the notification of an action that was undone. May run twice. */
export async function retract(ctx: Ctx, { to, ...action }: Notice): Promise<void> {
  await removeNotifications(ctx, to, [action]);
}

/** Removes a user's notifications of messages that the user has seen: they would push others out. May run twice. */
export async function retractSeen(ctx: Ctx, to: UserId, messages: FeedItem[]): Promise<void> {
  const notices = messages.flatMap(({ tweet }) => noticesOf(tweet).filter((one) => one.to === to));
  await removeNotifications(ctx, to, notices);
}

/** Removes the notifications of likes and retweets of a deleted tweet. */
export async function retractAbout(ctx: Ctx, { to, tweet }: { to: UserId; tweet: TweetId }) {
  const all = await notificationsAfter(ctx, to, 0);
  const about = all.filter((one) => one.tweet === tweet);
  await removeNotifications(ctx, to, about);
}

/**
 * May run twice: the first stamp stays. It is raised by microseconds until no other notification of the user has it,
 * so ids differ and pages end exactly.
 */
export async function addNotification(ctx: Ctx, to: UserId, { stamp, ...action }: Notification) {
  const activity = serializeAction(action);
  const [, isPushed] = await Promise.all([
    ctx.redis.addApart(keys.notifications(to), stamp, activity, notificationsKept),
    ctx.redis.exists(keys.push(to)),
  ]);
  // Also if it was there before: the process may have ended just here. The job pushes it once.
  if (isPushed === 1) await ctx.jobs.push({ to, activity });
}

/** May run twice. */
export async function removeNotifications(ctx: Ctx, to: UserId, actions: Action[]): Promise<void> {
  if (actions.length === 0) return;
  await ctx.redis.zrem(keys.notifications(to), ...actions.map(serializeAction));
}

/** Removes notifications for good: the actor who does the same again is not announced for a day. May run twice. */
export async function dismissNotifications(ctx: Ctx, to: UserId, actions: Action[]): Promise<void> {
  const key = keys.dismissed(to);
  await ctx.redis.addAnyway(key, ...actions.flatMap((one) => [ctx.now(), serializeAction(one)]));
  await exec(ctx.redis, [
    ["zremrangebyrank", key, 0, -mostOf("dismissed") - 1],
    ["expire", key, ttlOf("dismissed")],
  ]);
  await removeNotifications(ctx, to, actions);
}

/** Removes all notifications. The mark comes first, so that a repeated delivery does not add them again. */
export async function clearNotifications(ctx: Ctx, user: UserId): Promise<void> {
  const key = keys.notifications(user);
  const [, newest] = await ctx.redis.zrange(key, 0, "0", "REV", "WITHSCORES");
  if (newest === undefined) return;
  await ctx.redis.raiseField(keys.user(user), "notifications_cleared", Number(newest));
  // A repeated delivery gives these a later stamp.
  const cleared = await notificationsAfter(ctx, user, 0, Number(newest) + 1);
  const written = cleared.filter(({ kind }) => isWritten(kind));
  if (written.length > 0) await dismissNotifications(ctx, user, written);
  await ctx.redis.zremrangebyscore(key, "-inf", newest);
}

/** Stores that a user has read up to `stamp`. Writes nothing if they had before. */
export async function markRead(ctx: Ctx, user: User, stamp: Stamp): Promise<void> {
  if (stamp > user.notificationsRead)
    await ctx.redis.raiseField(keys.user(user.id), "notifications_read", stamp);
}

/** Notifications between the stamps `after` and `before`, newest first; at most notificationsKept. */
export async function notificationsAfter(
  ctx: Ctx,
  user: UserId,
  after: Stamp,
  before?: Stamp,
): Promise<Notification[]> {
  const key = keys.notifications(user);
  const bounds = [upperBound(before), `(${after}`, "BYSCORE", "REV"] as const;
  const newest = ["LIMIT", 0, notificationsKept, "WITHSCORES"] as const;
  return toEntries(await ctx.redis.zrange(key, ...bounds, ...newest)).flatMap(toNotification);
}

/** Member of the list: "like:12:7"; "follow::7". */
export function serializeAction({ kind, tweet, actor }: Action): string {
  return `${kind}:${tweet ?? ""}:${actor}`;
}

/** Empty for an unknown kind, as after a downgrade. */
function toNotification({ id, stamp }: Entry): Notification[] {
  const [word, tweet = "", actor = ""] = id.split(":");
  const kind = notificationKinds.find((known) => known === word);
  if (kind === undefined) return [];
  return [{ kind, tweet: tweet === "" ? undefined : tweetId(tweet), actor: userId(actor), stamp }];
}

/**
 * Whether a notification would bury others: the user does not follow the actor and has had enough notifications
 * of that account today, or of all such accounts on their first day together. Counts the action, if it is a new one.
 */
async function isFlood(ctx: Ctx, to: UserId, action: Action): Promise<boolean> {
  const { actor } = action;
  if ((await followedAmong(ctx, to, [actor])).has(actor)) return false;
  const [known, user] = await Promise.all([
    ctx.redis.zscore(keys.notifications(to), serializeAction(action)),
    findUser(ctx, actor),
  ]);
  if (known !== null || user === undefined) return false;
  const isNew = isOnFirstDay(ctx, user);
  const actorLimiter = limiterOf(ctx, isNew ? "notices:newAccount" : "notices:account");
  const { refused, left, limit } = await actorLimiter.take(`${actor}:${to}`);
  if (refused || !isNew) return refused;
  const isFirst = left === limit - 1;
  const shared = limiterOf(ctx, isFirst ? "notices:newcomersFirst" : "notices:newcomers");
  return (await shared.take(to)).refused;
}
