import { z } from "zod";
import { NotFound } from "../../domain/errors.ts";
import { typeOf } from "../../domain/notifications/api-names.ts";
import { groupedKinds, groupsPage, visibleMembers } from "../../domain/notifications/grouped.ts";
import { type Notification, removeNotifications } from "../../domain/notifications/store.ts";
import { findUsers, type User } from "../../domain/users/store.ts";
import { type ApiRequest, type Endpoint, endpoint, needs } from "./endpoint.ts";
import { Account, presentAccounts } from "./entities/account.ts";
import { groupKeyOf } from "./entities/notification.ts";
import { GroupedNotifications, presentGroups } from "./entities/notification-group.ts";
import { anything, texts } from "./input.ts";
import { type Json, listOf } from "./entities/parts.ts";
import { notificationFilters, wantedBy } from "./notifications.ts";
import { linkHeader, pagingOf } from "./paging.ts";

const filters = notificationFilters.extend({
  grouped_types: texts.describe("Types that may be grouped; all of them if it is left out."),
  expand_accounts: anything("Accounts are always full."),
  include_filtered: anything("No notifications are filtered."),
});

/** Notifications in groups, as the site shows them. */
export const notificationGroupEndpoints: readonly Endpoint[] = [
  endpoint("GET /api/v2/notifications", "Grouped, newest first; does not mark as read", {
    access: needs("read:notifications"),
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
  endpoint("GET /api/v2/notifications/{id}", "One group, by its group_key", {
    access: needs("read:notifications"),
    answer: GroupedNotifications,
    async handle(request) {
      const grouped = isAlone(request.params.id) ? [] : groupedKinds;
      const wants = isMemberOf(request.params.id);
      const { items } = await groupsPage(request.ctx, request.viewer, { limit: 1, wants, grouped });
      if (items.length === 0) throw new NotFound("notifications");
      return await presentGroups(request, items, grouped);
    },
  }),
  endpoint("GET /api/v2/notifications/{id}/accounts", "All accounts of a group", {
    access: needs("read:notifications"),
    answer: z.array(Account),
    async handle(request): Promise<Json> {
      const members = await getMembers(request);
      const users = await findUsers(
        request.ctx,
        members.map(({ actor }) => actor),
      );
      return listOf(await presentAccounts(request, [...users.values()]));
    },
  }),
  endpoint("POST /api/v2/notifications/{id}/dismiss", "Remove a group", {
    access: needs("write:notifications"),
    async handle(request) {
      await removeNotifications(request.ctx, request.viewer.id, await getMembers(request));
    },
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
