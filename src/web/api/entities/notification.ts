import type { Ctx } from "../../../context.ts";
import type { NotificationKind, Notification } from "../../../domain/notifications/store.ts";
import type { Stamp } from "../../../domain/stamp.ts";
import type { NotificationItem } from "../../../domain/notifications/single.ts";
import { findUsers, type User } from "../../../domain/users/store.ts";
import { stampOfId } from "../ids.ts";
import { presentAccounts, formatDate } from "./account.ts";
import { presentEach } from "./status.ts";

/** What Mastodon calls each kind. */
export const typeOf: Readonly<Record<NotificationKind, string>> = {
  follow: "follow",
  like: "favourite",
  retweet: "reblog",
  mention: "mention",
  reply: "mention",
};

/** In the order in which they stand in ids: a new kind goes to the end. */
const numbered: readonly NotificationKind[] = ["follow", "like", "retweet", "mention", "reply"];
const actorDigits = 11;

/**
 * As that of a status: the stamp, and in so many digits what tells it from others of that moment. It is
 * found again by its stamp, see notificationsAt.
 */
export function notificationId({ stamp, kind, actor }: Notification): string {
  const digits = actor.slice(-actorDigits).padStart(actorDigits, "0");
  return `${stamp}${numbered.indexOf(kind)}${digits}`;
}

/** The newest id that a moment can have: all of that moment is older, or it. */
export function lastIdOf(stamp: Stamp): string {
  return `${stamp}${"9".repeat(1 + actorDigits)}`;
}

/** When what an id means was told, if it can be one. */
export function momentOf(id: string): Stamp | undefined {
  const stamp = stampOfId(id);
  return stamp === undefined || stamp === 0 ? undefined : stamp;
}

/**
 * The JSON of each as Mastodon's Notification, in order; those of whom nothing can be told any more
 * are left out. All that they depend on is asked for at once.
 */
export async function presentTold(
  ctx: Ctx,
  viewer: User,
  all: NotificationItem[],
  site: string,
): Promise<string[]> {
  const items = [...new Set(all.flatMap(({ item }) => item ?? []))];
  const users = await findUsers(
    ctx,
    all.map(({ actor }) => actor),
  );
  const people = [...users.values()];
  const [accounts, statuses] = await Promise.all([
    presentAccounts(ctx, site, people),
    presentEach(ctx, viewer, items, site),
  ]);
  const accountOf = new Map(people.map(({ id }, index) => [id, accounts[index]]));
  const statusOf = new Map(items.map((item, index) => [item, statuses[index]]));
  return all.flatMap((one) => {
    const account = accountOf.get(one.actor);
    const status = one.item && statusOf.get(one.item);
    if (account === undefined || (one.tweet !== undefined && status === undefined)) return [];
    return [serializeNotification(one, account, status)];
  });
}

function serializeNotification(
  one: Notification,
  account: string,
  status: string | undefined,
): string {
  const id = notificationId(one);
  const about = {
    id,
    type: typeOf[one.kind],
    created_at: formatDate(one.stamp),
    group_key: `ungrouped-${id}`,
  };
  const rest = status === undefined ? "" : `,"status":${status}`;
  return `${JSON.stringify(about).slice(0, -1)},"account":${account}${rest}}`;
}
