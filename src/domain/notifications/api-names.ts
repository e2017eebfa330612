import { type Notification, type NotificationKind, notificationKinds } from "./store.ts";

/** Mastodon's name of each kind, in its API and in pushes. */
export const typeOf = {
  follow: "follow",
  like: "favourite",
  retweet: "reblog",
  mention: "mention",
  reply: "mention",
  status: "status",
  follow_request: "follow_request",
  poll: "poll",
} as const satisfies Record<NotificationKind, string>;

/** They follow the stamp: the kind, and a number of the actor. */
export const ownDigits = 3;

/**
 * Max difference between an id and what JavaScript makes of it as a number: in one field Mastodon's API has a number.
 * Own digits keep this distance to 000 and 999, so that the stamp stays right. The largest until the year 2116.
 */
export const rounding = 256;
/** Numbers of actors for each of up to eight kinds. */
const actorNumbers = 60;

/**
 * The stamp, and as many digits as fit into a 64-bit number to tell it from others of this microsecond.
 * notificationsAt finds it by its stamp.
 */
export function notificationId({ stamp, kind, actor }: Notification): string {
  // Stamps end with the last three digits of an id, so the digits before these are added.
  const ofActor = (Number(actor) + Math.floor(Number(actor) / 1000)) % actorNumbers;
  return `${stamp}${rounding + notificationKinds.indexOf(kind) * actorNumbers + ofActor}`;
}
