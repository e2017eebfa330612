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

/** A deed, and the user who is notified of it. */
export type Notice = Deed & { to: UserId };

/**
 * Notifies a user of another user's action. Skips the user's own actions, actions of users they muted, actions
 * across a block, and actions up to the last clearing. May run twice; the first stamp stays.
 */
export async function notify(ctx: Ctx, { to, ...deed }: Notice & Notification): Promise<void> {
  if (to === deed.actor) return;
  const recipient = await findUser(ctx, to);
  if (recipient === undefined || deed.stamp <= recipient.notificationsCleared) return;
  const { muted, blocked } = (await relationsTo(ctx, recipient, [deed.actor]))(deed.actor);
  if (!muted && !blocked) await addNotification(ctx, to, deed);
}

/** Removes the notification of an action that was undone. May run twice. */
export async function retract(ctx: Ctx, { to, ...deed }: Notice): Promise<void> {
  await removeNotifications(ctx, to, [deed]);
}

/** Removes the notifications of likes and retweets of a deleted tweet. */
export async function retractAbout(ctx: Ctx, { to, tweet }: { to: UserId; tweet: TweetId }) {
  const all = await notificationsAfter(ctx, to, 0);
  const about = all.filter((one) => one.tweet === tweet);
  await removeNotifications(ctx, to, about);
}
