import { z } from "zod";
import { required } from "../../domain/errors.ts";
import {
  countUnreadGroups,
  groupedKinds,
  nameOfGroup,
} from "../../domain/notifications/grouped.ts";
import {
  countUnreadNotifications,
  type NotificationItem,
  notificationsAt,
  singleNotifications,
} from "../../domain/notifications/single.ts";
import {
  clearNotifications,
  dismissNotifications,
  type Notification,
} from "../../domain/notifications/store.ts";
import { notificationId, rounding, typeOf } from "../../domain/notifications/api-names.ts";
import { findUsers, type User } from "../../domain/users/store.ts";
import { cacheAnswer } from "../server/cached-answers.ts";
import { type ApiRequest, type Endpoint, scoped } from "./endpoint.ts";
import { Account, presentAccounts } from "./entities/account.ts";
import { count, entity, formatDate, id, moment } from "./entities/fields.ts";
import { type ApiView, listOf, toJson, withFields } from "./entities/parts.ts";
import { presentEach, Status } from "./entities/status.ts";
import { stampOfNotification } from "./ids.ts";
import { anything, text, texts } from "./input.ts";
import { accountPaging, limited, linkHeader, pagingOf } from "./paging.ts";

export const NotificationType = z.enum([...new Set(Object.values(typeOf))]);

/** The schema; `Notification` is that of the domain. */
const ApiNotification = entity("Notification", {
  id,
  type: NotificationType,
  created_at: moment,
  group_key: z.string(),
  account: Account,
  status: Status.optional(),
});

const kinds = "follow, follow_request, favourite, reblog, mention, status and poll.";
export const notificationFilters = accountPaging.extend({
  types: texts.describe(kinds),
  exclude_types: texts.describe(kinds),
  account_id: text.describe("Only those by this account."),
});
const counted = z.strictObject({ count });
const ofAll = anything("Notifications of all kinds, by all accounts, are counted.");
const uncounted = { types: ofAll, exclude_types: ofAll, account_id: ofAll, grouped_types: ofAll };

const ofUser = scoped("read:notifications", "write:notifications");
const ofNotification = scoped("read:notifications", "write:notifications", getNotification);

/** Acts of others that concern the viewer. Reading does not mark them as read: see markers.ts. */
export const notificationEndpoints: readonly Endpoint[] = [
  ofUser("GET /api/v1/notifications", "Newest first; reading does not mark as read", {
    query: notificationFilters,
    answer: z.array(ApiNotification),
    async handle(request) {
      const { ctx, res, viewer, query } = request;
      const view = { ...pagingOf(query), wants: wantedBy(query) };
      const { items, older } = await singleNotifications(ctx, viewer, view);
      linkHeader(request, { items, older });
      cacheAnswer(res);
      const notifications = await presentNotifications(request, items);
      return listOf(notifications.filter((one) => one !== undefined));
    },
  }),
  ofUser("GET /api/v1/notifications/unread_count", "Number of unread notifications", {
    query: z.object({ limit: limited({ usual: 100, most: 1000 }), ...uncounted }),
    answer: counted,
    handle: async ({ ctx, viewer, query }) => ({
      count: await countUnreadNotifications(ctx, viewer, query.limit),
    }),
  }),
  ofUser("GET /api/v2/notifications/unread_count", "Number of unread groups", {
    query: z.object({ limit: limited({ usual: 100, most: 100 }), ...uncounted }),
    answer: counted,
    handle: async ({ ctx, viewer, query }) => ({
      count: Math.min(query.limit, await countUnreadGroups(ctx, viewer, { messages: true })),
    }),
  }),
  ofNotification("GET /api/v1/notifications/{id}", "One", {
    answer: ApiNotification,
    async handle(request, item) {
      const [json] = await presentNotifications(request, [item]);
      return required(json, "notification");
    },
  }),
  ofUser("POST /api/v1/notifications/clear", "Remove all", {
    handle: ({ ctx, viewer }) => clearNotifications(ctx, viewer.id),
  }),
  ofNotification("POST /api/v1/notifications/{id}/dismiss", "Remove one", {
    handle: ({ ctx, viewer }, item) => dismissNotifications(ctx, viewer.id, [item]),
  }),
];

/** Types that Suzume does not know match nothing. */
export function wantedBy(query: z.output<typeof notificationFilters>) {
  const { types, exclude_types: excluded, account_id: actor = "" } = query;
  return (item: Notification): boolean => {
    const type = typeOf[item.kind];
    if (types.length > 0 && !types.includes(type)) return false;
    return !excluded.includes(type) && (actor === "" || actor === item.actor);
  };
}

/** The notification in the path, which a client may have rounded, if the viewer may see it. Throws NotFound. */
async function getNotification({ ctx, viewer, params }: ApiRequest<User>) {
  const named = /^\d{1,40}$/.test(params.id) ? stampOfNotification(params.id) : 0;
  const items = await notificationsAt(ctx, viewer, named);
  const isNear = (one: NotificationItem) =>
    Math.abs(Number(BigInt(notificationId(one)) - BigInt(params.id))) <= rounding;
  const item =
    items.find((one) => notificationId(one) === params.id) ??
    (named === 0 ? undefined : items.find(isNear));
  return required(item, "notification");
}

/** Key of the notification's group; its own if its kind is not `grouped`. */
export function groupKeyOf(one: Notification, grouped = groupedKinds): string {
  return grouped.includes(one.kind) ? nameOfGroup(one) : `ungrouped-${notificationId(one)}`;
}

/** Notifications in order; undefined where the actor or tweet is gone. All facts are read at once. */
export async function presentNotifications(view: ApiView, all: NotificationItem[]) {
  const items = [...new Set(all.flatMap(({ item }) => item ?? []))];
  const actors = all.map(({ actor }) => actor);
  const users = [...(await findUsers(view.ctx, actors)).values()];
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
    const fields = toJson({
      id: notificationId(one),
      type: typeOf[one.kind],
      created_at: formatDate(one.stamp),
      group_key: groupKeyOf(one),
    });
    return withFields(fields, { account, status });
  });
}
