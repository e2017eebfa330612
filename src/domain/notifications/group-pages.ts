import type { Ctx } from "../../context.ts";
import { cutPage, type Page } from "../page.ts";
import type { User } from "../users/store.ts";
import { groupedKinds, groupNotifications, type NotificationGroupItem } from "./grouped.ts";
import type { NotificationRange } from "./single.ts";
import { type Notification, type NotificationKind, notificationsAfter } from "./store.ts";
import { findItemsOf, shownTo } from "./visibility.ts";

interface GroupRange extends NotificationRange {
  /** Kinds that are grouped; default: groupedKinds. */
  grouped?: readonly NotificationKind[];
}

/**
 * A page of the groups that the site shows, newest first; bounds are about the newest member of a group. Groups are
 * made of all stored notifications, at most notificationsKept. Removes nothing, and marks nothing as read.
 */
export async function groupsPage(
  ctx: Ctx,
  viewer: User,
  { before = Infinity, after = 0, from, limit, wants, grouped = groupedKinds }: GroupRange,
): Promise<Page<NotificationGroupItem>> {
  const all = await notificationsAfter(ctx, viewer.id, 0);
  const wanted = wants === undefined ? all : all.filter(wants);
  const isShown = await shownTo(ctx, viewer, wanted);
  const groups = groupNotifications(wanted.filter(isShown), viewer.notificationsRead, grouped);
  const bottom = Math.max(after, from ?? 0);
  const within = groups.filter(({ stamp }) => stamp < before && stamp > bottom);
  const inOrder = from === undefined ? within : within.toReversed();
  const { items, older } = cutPage(inOrder, limit, ({ stamp }) => stamp);
  const listed = await findItemsOf(ctx, viewer, items);
  const page = items.map((group) => ({ ...group, item: group.tweet && listed.get(group.tweet) }));
  return from === undefined
    ? { items: page, older }
    : { items: page.toReversed(), older: items[0]?.stamp };
}

/** The visible notifications among those that `isMember` accepts, newest first. */
export async function visibleMembers(
  ctx: Ctx,
  viewer: User,
  isMember: (one: Notification) => boolean,
): Promise<Notification[]> {
  const all = await notificationsAfter(ctx, viewer.id, 0);
  const members = all.filter(isMember);
  const isShown = await shownTo(ctx, viewer, members);
  return members.filter(isShown);
}
