import { z } from "zod";
import { notificationId, ownDigits, typeOf } from "../../../domain/notifications/api-names.ts";
import { groupedKinds, nameOfGroup } from "../../../domain/notifications/grouped.ts";
import type { Notification } from "../../../domain/notifications/store.ts";
import type { NotificationItem } from "../../../domain/notifications/single.ts";
import type { Stamp } from "../../../domain/ids.ts";
import { findUsers } from "../../../domain/users/store.ts";
import { formerStampOf, isStamp } from "../ids.ts";
import { entity, formatDate, id, moment } from "./fields.ts";
import { type ApiView, type Json, toJson, withFields } from "./parts.ts";
import { Account, presentAccounts } from "./account.ts";
import { presentEach, Status } from "./status.ts";

export const NotificationType = z.enum([
  "follow",
  "follow_request",
  "favourite",
  "reblog",
  "mention",
  "status",
  "poll",
]);

/** The schema; `Notification` is that of the domain. */
export const ApiNotification = entity("Notification", {
  id,
  type: NotificationType,
  created_at: moment,
  group_key: z.string(),
  account: Account,
  status: Status.optional(),
});

/** Key of the notification's group; its own if its kind is not `grouped`. */
export function groupKeyOf(one: Notification, grouped = groupedKinds): string {
  return grouped.includes(one.kind) ? nameOfGroup(one) : `ungrouped-${notificationId(one)}`;
}

/** The stamp of an id, also of the longer ones that there were before; a bare stamp is one, too. */
export function stampOfNotification(text: string): Stamp {
  if (isStamp(text)) return Number(text);
  return text.length > 19 ? formerStampOf(text) : Number(text.slice(0, -ownDigits));
}

/** Notifications in order; undefined where the actor or tweet is gone. All facts are read at once. */
export async function presentNotifications(
  view: ApiView,
  all: NotificationItem[],
): Promise<(Json | undefined)[]> {
  const items = [...new Set(all.flatMap(({ item }) => item ?? []))];
  const people = await findUsers(
    view.ctx,
    all.map(({ actor }) => actor),
  );
  const users = [...people.values()];
  const [accounts, statuses] = await Promise.all([
    presentAccounts(view, users),
    presentEach(view, items),
  ]);
  const accountOf = new Map(users.map((user, index) => [user.id, accounts[index]]));
  const statusOf = new Map(items.map((item, index) => [item, statuses[index]]));
  return all.map((one) => {
    const account = accountOf.get(one.actor);
    const status = one.item && statusOf.get(one.item);
    if (account === undefined || (one.tweet !== undefined && status === undefined))
      return undefined;
    const name = notificationId(one);
    const fields = toJson({
      id: name,
      type: typeOf[one.kind],
      created_at: formatDate(one.stamp),
      group_key: groupKeyOf(one),
    });
    return withFields(fields, { account, status });
  });
}
