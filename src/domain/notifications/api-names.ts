import type { Notification, NotificationKind } from "./store.ts";

/** Mastodon's name of each kind, in its API and in pushes. */
export const typeOf = {
  follow: "follow",
  like: "favourite",
  retweet: "reblog",
  mention: "mention",
  reply: "mention",
  status: "status",
} as const satisfies Record<NotificationKind, string>;

/** Their positions are digits of ids: a new kind goes to the end. */
const numbered: readonly NotificationKind[] = [
  "follow",
  "like",
  "retweet",
  "mention",
  "reply",
  "status",
];
/** A digit for the kind and two of the actor follow the stamp. */
export const ownDigits = 3;

/**
 * The stamp, and as many digits as fit into a 64-bit number to tell it from others of this microsecond.
 * notificationsAt finds it by its stamp.
 */
export function notificationId({ stamp, kind, actor }: Notification): string {
  // Stamps end with the last three digits of an id, so the digits before these are added.
  const ofActor = (Number(actor) + Math.floor(Number(actor) / 1000)) % 100;
  return `${stamp}${numbered.indexOf(kind)}${String(ofActor).padStart(2, "0")}`;
}
