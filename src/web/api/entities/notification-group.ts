import { z } from "zod";
import { groupedKinds, type NotificationGroupItem } from "../../../domain/notifications/grouped.ts";
import { notificationId, typeOf } from "../../../domain/notifications/api-names.ts";
import type { NotificationKind } from "../../../domain/notifications/store.ts";
import type { UserId } from "../../../domain/ids.ts";
import { findUsers } from "../../../domain/users/store.ts";
import {
  type ApiView,
  formatDate,
  id,
  type Json,
  listOf,
  moment,
  toJson,
  withFields,
} from "./parts.ts";
import { statusId } from "../ids.ts";
import { Account, presentAccounts } from "./account.ts";
import { groupKeyOf, NotificationType } from "./notification.ts";
import { presentEach, Status } from "./status.ts";

/** Max accounts of a group that are in an answer; the others have a list of their own. */
const samples = 8;

const Group = z
  .strictObject({
    group_key: z.string(),
    notifications_count: z.int().min(1),
    type: NotificationType,
    most_recent_notification_id: z.number(),
    page_min_id: id,
    page_max_id: id,
    latest_page_notification_at: moment,
    sample_account_ids: z.array(z.string()),
    status_id: id.optional(),
  })
  .meta({ id: "NotificationGroup" });

export const GroupedNotifications = z
  .strictObject({
    accounts: z.array(Account),
    statuses: z.array(Status),
    notification_groups: z.array(Group),
  })
  .meta({ id: "GroupedNotificationsResults" });

/** The groups, with the accounts and statuses that they name, each once. Without groups whose status is gone. */
export async function presentGroups(
  view: ApiView,
  groups: NotificationGroupItem[],
  grouped: readonly NotificationKind[] = groupedKinds,
): Promise<Json> {
  const items = groups.flatMap(({ item }) => item ?? []);
  const [found, statuses] = await Promise.all([
    findUsers(view.ctx, groups.flatMap(sampleOf)),
    presentEach(view, items),
  ]);
  const gone = new Set(items.filter((_, nth) => statuses[nth] === undefined));
  const shown = groups.filter(
    ({ tweet, item, actors: [actor] }) =>
      actor !== undefined &&
      found.has(actor) &&
      (tweet === undefined || (item !== undefined && !gone.has(item))),
  );
  const named = new Set(shown.flatMap(sampleOf));
  const accounts = await presentAccounts(
    view,
    [...found.values()].filter((user) => named.has(user.id)),
  );
  const once = new Map(items.map((item, nth) => [item.tweet.id, statuses[nth]]));
  return withFields(toJson({}), {
    accounts: listOf(accounts),
    statuses: listOf([...once.values()].filter((status) => status !== undefined)),
    notification_groups: listOf(shown.map((group) => serializeGroup(group, grouped))),
  });
}

function sampleOf({ actors }: NotificationGroupItem): UserId[] {
  return actors.slice(0, samples);
}

function serializeGroup(group: NotificationGroupItem, grouped: readonly NotificationKind[]): Json {
  const { kind, actors, stamp, first, item } = group;
  const newest = { ...group, actor: actors[0] as UserId };
  const name = notificationId(newest);
  const fields = toJson({
    group_key: groupKeyOf(newest, grouped),
    notifications_count: actors.length,
    type: typeOf[kind],
    page_min_id: notificationId({ ...group, ...first }),
    page_max_id: name,
    latest_page_notification_at: formatDate(stamp),
    sample_account_ids: sampleOf(group),
    status_id: item && statusId(item.tweet),
  });
  // Mastodon has a number here: all digits, for clients that read 64 bits.
  return withFields(fields, { most_recent_notification_id: name as Json });
}
