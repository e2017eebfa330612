import type { Ctx } from "../../context.ts";
import type { FeedItem } from "../feeds/types.ts";
import { cutPage, cutPageUp, type ListRange, type Page } from "../page.ts";
import type { Stamp } from "../ids.ts";
import type { User } from "../users/store.ts";
import { type Notification, notificationsAfter } from "./store.ts";
import { withTweets, shownTo } from "./visibility.ts";

/** A notification with its tweet; a follow has none. */
export interface NotificationItem extends Notification {
  item: FeedItem | undefined;
}

export interface NotificationRange extends ListRange {
  limit: number;
  /** Default: all. */
  wants?(one: Notification): boolean;
}

/**
 * The viewer's notifications, not grouped, newest first: the same that the grouped list shows and counts (see
 * grouped.ts). More than `limit` only if an earlier version stored several with one stamp. Removes nothing, and marks nothing as read.
 */
export async function singleNotifications(ctx: Ctx, viewer: User, singles: NotificationRange) {
  const { items, older } = await readSingles(ctx, viewer, singles);
  return { items: await withTweets(ctx, viewer, items), older };
}

/** Those with this stamp: one at most, unless an earlier version stored several. */
export async function notificationsAt(ctx: Ctx, viewer: User, stamp: Stamp) {
  const entries = await notificationsAfter(ctx, viewer.id, stamp - 1, stamp + 1);
  const isShown = await shownTo(ctx, viewer, entries);
  return await withTweets(ctx, viewer, entries.filter(isShown));
}

/** Number of unread notifications, not grouped, up to `limit`. */
export async function countUnreadNotifications(ctx: Ctx, viewer: User, limit: number) {
  const after = viewer.notificationsRead;
  const { items } = await readSingles(ctx, viewer, { after, limit });
  return Math.min(items.length, limit);
}

async function readSingles(
  ctx: Ctx,
  viewer: User,
  { before, after = 0, from, limit, wants }: NotificationRange,
): Promise<Page<Notification>> {
  const all = await notificationsAfter(ctx, viewer.id, Math.max(after, from ?? 0), before);
  const wanted = wants === undefined ? all : all.filter(wants);
  if (from === undefined) return cutPage(await visibleAmong(ctx, viewer, wanted, limit), limit);
  return cutPageUp(await visibleAmong(ctx, viewer, wanted.toReversed(), limit), limit);
}

/** Least entries that are looked at together, so that a short page of hidden ones takes few rounds. */
const lookedAtOnce = 100;

/** In the given order: more than `limit` visible ones, ending between two stamps, or all there are. */
async function visibleAmong(ctx: Ctx, viewer: User, entries: Notification[], limit: number) {
  const shown: Notification[] = [];
  const step = Math.max(limit + 1, lookedAtOnce);
  for (let start = 0; start < entries.length; start += step) {
    const some = entries.slice(start, start + step);
    const isShown = await shownTo(ctx, viewer, some);
    shown.push(...some.filter(isShown));
    const edge = shown[limit - 1];
    if (edge !== undefined && shown.at(-1)?.stamp !== edge.stamp) break;
  }
  return shown;
}
