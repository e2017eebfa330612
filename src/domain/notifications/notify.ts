import type { Ctx } from "../../context.ts";
import type { TweetId, UserId } from "../ids.ts";
import { relationsTo } from "../graph/relations.ts";
import { findUser } from "../users/store.ts";
import {
  addNotification,
  type Deed,
  type Notification,
  notificationsAfter,
  removeNotifications,
} from "./store.ts";

/** What a deed was done to: the one who is told of it. */
export type Notice = Deed & { to: UserId };

/**
 * Tells somebody what somebody else did: nobody of their own deeds, nor of those by people whom they
 * muted or with whom there is a block, nor what they have cleared away. Telling twice is harmless; the first
 * stamp stays.
 */
export async function notify(ctx: Ctx, { to, ...deed }: Notice & Notification): Promise<void> {
  if (to === deed.actor) return;
  const recipient = await findUser(ctx, to);
  if (recipient === undefined || deed.stamp <= recipient.notificationsCleared) return;
  const { muted, blocked } = (await relationsTo(ctx, recipient, [deed.actor]))(deed.actor);
  if (!muted && !blocked) await addNotification(ctx, to, deed);
}

/** What was undone is no news any more. Taking back what was never told is harmless. */
export async function retract(ctx: Ctx, { to, ...deed }: Notice): Promise<void> {
  await removeNotifications(ctx, to, [deed]);
}

/** Of a tweet that is gone its author need not be told any more who liked or retweeted it. */
export async function retractAbout(ctx: Ctx, { to, tweet }: { to: UserId; tweet: TweetId }) {
  const all = await notificationsAfter(ctx, to, 0);
  const about = all.filter((one) => one.tweet === tweet);
  await removeNotifications(ctx, to, about);
}
