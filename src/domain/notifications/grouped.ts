import type { Ctx } from "../../context.ts";
import { bestEffort } from "../outage.ts";
import type { TweetId } from "../ids.ts";
import { type Group, groupNotifications, membersByGroup } from "./group.ts";
import { type Notification, notificationsAfter, removeNotifications } from "./store.ts";
import { cut, type Page, pageSize } from "../page.ts";
import type { Stamp } from "../stamp.ts";
import { findUsers, type User } from "../users/store.ts";
import { findTweetsOf, findItemsOf, shownOf } from "./visibility.ts";
import type { FeedItem } from "../feeds/types.ts";

/** A group with its tweet; a follow has none. */
export interface Notified extends Group {
  item: FeedItem | undefined;
}

/**
 * The viewer's notifications, grouped, newest first. Groups are made of all stored ones, so a page never
 * splits a group. Removes those that are gone for good; no other page does that, see docs/decisions/0011.
 */
export async function notificationsFeed(
  ctx: Ctx,
  viewer: User,
  before?: Stamp,
): Promise<Page<Notified>> {
  const { id, notificationsRead } = viewer;
  const entries = await notificationsAfter(ctx, id, 0);
  const isShown = await shownOf(ctx, viewer, entries);
  await heal(
    ctx,
    viewer,
    entries.filter((entry) => !isShown(entry)),
  );
  const groups = groupNotifications(entries.filter(isShown), notificationsRead);
  const rest = before === undefined ? groups : groups.filter(({ stamp }) => stamp < before);
  const { items, older } = cut(rest, pageSize, ({ stamp }) => stamp);
  const listed = await findItemsOf(ctx, viewer, items);
  return { items: items.map((group) => ({ ...group, item: itemOf(group, listed) })), older };
}

/** Max groups that are counted; a page shows "more" beyond it. */
const mostCounted = 100;
/** Members of a group that are checked at first, and then at a time until a visible one is found. */
const askedFirst = 1;
const askedNext = 100;

/**
 * Number of unread groups that the list shows, up to `mostCounted`. One visible member is enough for a group,
 * so only a few members are checked.
 */
export async function countUnread(ctx: Ctx, viewer: User): Promise<number> {
  const entries = await notificationsAfter(ctx, viewer.id, viewer.notificationsRead);
  const groups = membersByGroup(entries);
  let count = 0;
  for (let start = 0; start < groups.length && count < mostCounted; start += mostCounted)
    count += await countShown(ctx, viewer, groups.slice(start, start + mostCounted));
  return Math.min(count, mostCounted);
}

/** Number of groups with a visible member. */
async function countShown(ctx: Ctx, viewer: User, groups: Notification[][]): Promise<number> {
  let [open, count, start, step] = [groups, 0, 0, askedFirst];
  while (open.length > 0) {
    const asked = open.flatMap((members) => members.slice(start, start + step));
    const isShown = await shownOf(ctx, viewer, asked);
    const left = open.filter((members) => !members.slice(start, start + step).some(isShown));
    count += open.length - left.length;
    start += step;
    step = askedNext;
    open = left.filter((members) => members.length > start);
  }
  return count;
}

/** Removes notifications that are gone for good; a repair, so nothing depends on it. Hidden ones stay. */
async function heal(ctx: Ctx, viewer: User, hidden: Notification[]): Promise<void> {
  if (hidden.length === 0) return;
  const [people, tweets] = await Promise.all([
    findUsers(
      ctx,
      hidden.map(({ actor }) => actor),
    ),
    findTweetsOf(ctx, hidden),
  ]);
  const gone = hidden.filter(
    ({ actor, tweet }) => !people.has(actor) || (tweet !== undefined && !tweets.has(tweet)),
  );
  await bestEffort(removeNotifications(ctx, viewer.id, gone));
}

function itemOf({ tweet }: Group, listed: Map<TweetId, FeedItem>): FeedItem | undefined {
  return tweet === undefined ? undefined : listed.get(tweet);
}
