import { z } from "zod";
import { NotFound } from "../../domain/errors.ts";
import type { UserId } from "../../domain/ids.ts";
import { notificationId, typeOf } from "../../domain/notifications/api-names.ts";
import {
  groupedKinds,
  groupsPage,
  type NotificationGroupItem,
  visibleMembers,
} from "../../domain/notifications/grouped.ts";
import {
  type Notification,
  type NotificationKind,
  dismissNotifications,
} from "../../domain/notifications/store.ts";
import { findUsers, type User } from "../../domain/users/store.ts";
import { type ApiRequest, type Endpoint, scoped } from "./endpoint.ts";
import { Account, presentAccounts } from "./entities/account.ts";
import { entity, formatDate, id, moment } from "./entities/fields.ts";
import { type ApiView, type Json, listOf, toJson, withFields } from "./entities/parts.ts";
import { presentEach, Status } from "./entities/status.ts";
import { statusId } from "./ids.ts";
import { anything, texts } from "./input.ts";
import { groupKeyOf, notificationFilters, NotificationType, wantedBy } from "./notifications.ts";
import { linkHeader, pagingOf } from "./paging.ts";

/** Max accounts of a group that are in an answer; the others have a list of their own. */
const samples = 8;

const Group = entity("NotificationGroup", {
  group_key: z.string(),
  notifications_count: z.int().min(1),
  type: NotificationType,
  most_recent_notification_id: z.number(),
  page_min_id: id,
  page_max_id: id,
  latest_page_notification_at: moment,
  sample_account_ids: z.array(z.string()),
  status_id: id.optional(),
});

const GroupedNotifications = entity("GroupedNotificationsResults", {
  accounts: z.array(Account),
  statuses: z.array(Status),
  notification_groups: z.array(Group),
});

const filters = notificationFilters.extend({
  grouped_types: texts.describe("Types that may be grouped; all of them if it is left out."),
  expand_accounts: anything("Accounts are always full."),
  include_filtered: anything("No notifications are filtered."),
});

const ofUser = scoped("read:notifications", "write:notifications");
const ofGroup = scoped("read:notifications", "write:notifications", getMembers);

/** Notifications in groups, as the site shows them. */
export const notificationGroupEndpoints: readonly Endpoint[] = [
  ofUser("GET /api/v2/notifications", "Grouped, newest first; does not mark as read", {
    query: filters,
    answer: GroupedNotifications,
    async handle(request) {
      const { ctx, viewer, query } = request;
      const { grouped_types: types } = query;
      const grouped = groupedKinds.filter(
        (kind) => types.length === 0 || types.includes(typeOf[kind]),
      );
      const view = { ...pagingOf(query), wants: wantedBy(query), grouped };
      const { items, older } = await groupsPage(ctx, viewer, view);
      linkHeader(request, { items, older });
      return await presentGroups(request, items, grouped);
    },
  }),
  ofUser("GET /api/v2/notifications/{id}", "One group, by its group_key", {
    answer: GroupedNotifications,
    async handle(request) {
      const grouped = isAlone(request.params.id) ? [] : groupedKinds;
      const wants = isMemberOf(request.params.id);
      const { items } = await groupsPage(request.ctx, request.viewer, { limit: 1, wants, grouped });
      if (items.length === 0) throw new NotFound("notifications");
      return await presentGroups(request, items, grouped);
    },
  }),
  ofGroup("GET /api/v2/notifications/{id}/accounts", "All accounts of a group", {
    answer: z.array(Account),
    async handle(request, members) {
      const actors = members.map(({ actor }) => actor);
      const users = await findUsers(request.ctx, actors);
      return listOf(await presentAccounts(request, [...users.values()]));
    },
  }),
  ofGroup("POST /api/v2/notifications/{id}/dismiss", "Remove a group", {
    handle: ({ ctx, viewer }, members) => dismissNotifications(ctx, viewer.id, members),
  }),
];

function isAlone(key: string): boolean {
  return key.startsWith("ungrouped-");
}

function isMemberOf(key: string): (one: Notification) => boolean {
  const grouped = isAlone(key) ? [] : groupedKinds;
  return (one) => groupKeyOf(one, grouped) === key;
}

/** Throws NotFound for a group without visible members. */
async function getMembers({ ctx, viewer, params }: ApiRequest<User>): Promise<Notification[]> {
  const members = await visibleMembers(ctx, viewer, isMemberOf(params.id));
  if (members.length === 0) throw new NotFound("notifications");
  return members;
}

/** The groups, with the accounts and statuses that they name, each once. Without groups whose status is gone. */
async function presentGroups(
  view: ApiView,
  groups: NotificationGroupItem[],
  grouped: readonly NotificationKind[],
): Promise<Json> {
  const items = groups.flatMap(({ item }) => item ?? []);
  const [users, statuses] = await Promise.all([
    findUsers(view.ctx, groups.flatMap(sampleOf)),
    presentEach(view, items),
  ]);
  const gone = new Set(items.filter((_, nth) => statuses[nth] === undefined));
  const shown = groups.filter(
    ({ tweet, item, actors: [actor] }) =>
      actor !== undefined &&
      users.has(actor) &&
      (tweet === undefined || (item !== undefined && !gone.has(item))),
  );
  const sampled = new Set(shown.flatMap(sampleOf));
  const shownUsers = [...users.values()].filter((user) => sampled.has(user.id));
  const accounts = await presentAccounts(view, shownUsers);
  const once = new Map(items.map((item, nth) => [item.tweet.id, statuses[nth]]));
  return withFields(toJson({}), {
    accounts: listOf(accounts),
    statuses: listOf([...once.values()].filter((status) => status !== undefined)),
    notification_groups: listOf(
      shown.map((group) => serializeGroup(group, grouped, shown.at(-1) ?? group)),
    ),
  });
}

function nameOf(group: NotificationGroupItem): string {
  return notificationId({ ...group, actor: group.actors[0] as UserId });
}

function sampleOf({ actors }: NotificationGroupItem): UserId[] {
  return actors.slice(0, samples);
}

/** `last`: of the page. What a group has beyond it belongs to later pages, which clients ask for from `page_min_id`. */
function serializeGroup(
  group: NotificationGroupItem,
  grouped: readonly NotificationKind[],
  last: NotificationGroupItem,
): Json {
  const { kind, actors, stamp, first, item } = group;
  const newest = { ...group, actor: actors[0] as UserId };
  const name = nameOf(group);
  const fields = toJson({
    group_key: groupKeyOf(newest, grouped),
    notifications_count: actors.length,
    type: typeOf[kind],
    page_min_id: first.stamp > last.stamp ? notificationId({ ...group, ...first }) : nameOf(last),
    page_max_id: name,
    latest_page_notification_at: formatDate(stamp),
    sample_account_ids: sampleOf(group),
    status_id: item && statusId(item.tweet),
  });
  // Mastodon has a number here: all digits, for clients that read 64 bits.
  return withFields(fields, { most_recent_notification_id: name as Json });
}
