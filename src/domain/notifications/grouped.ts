import type { Ctx } from "../../context.ts";
import type { FeedItem } from "../feeds/types.ts";
import { dayOf, type UserId, type Stamp } from "../ids.ts";
import { bestEffort } from "../outage.ts";
import { cutPage, cutPageUp, type Page, pageSize } from "../page.ts";
import { findUsers, type User } from "../users/store.ts";
import {
  type Notification,
  type NotificationKind,
  notificationsAfter,
  removeNotifications,
  serializeAction,
} from "./store.ts";
import { withTweets, findTweetsOf, shownTo } from "./visibility.ts";
import type { NotificationRange } from "./single.ts";

/** Max groups that are counted; a page shows "more" beyond it. */
const mostCounted = 100;
/** Members of a group that are checked at first, and then at a time until a visible one is found. */
const askedFirst = 1;
const askedNext = 100;

/** Kinds of which several are one group; each of the others stands alone. */
export const groupedKinds: Kinds = ["follow", "like", "retweet", "follow_request"];

type Kinds = readonly NotificationKind[];

/** Actions of the same kind, shown as one sentence; the stamp is that of its newest member. */
export interface NotificationGroup extends Omit<Notification, "actor"> {
  /** Newest first, without duplicates. */
  actors: UserId[];
  /** Its oldest member. */
  first: Pick<Notification, "actor" | "stamp">;
  /** Whether a member is newer than the last read one. */
  unread: boolean;
}

/** A group with its tweet; a follow has none. */
export interface NotificationGroupItem extends NotificationGroup {
  item: FeedItem | undefined;
}

interface GroupRange extends NotificationRange {
  /** Kinds that are grouped; default: groupedKinds. */
  grouped?: readonly NotificationKind[];
  /** Whether those of messages are among them; default: yes. */
  messages?: boolean;
  /** Whether those that are gone for good are removed; default: no. */
  heals?: boolean;
}

/**
 * A page of the groups that the site shows, newest first; bounds are about the newest member of a group. Groups are
 * made of all stored notifications, at most notificationsKept, so a page never splits a group. Marks nothing as read.
 */
export async function groupsPage(
  ctx: Ctx,
  viewer: User,
  { before = Infinity, after = 0, from, limit, wants, grouped, messages, heals }: GroupRange,
): Promise<Page<NotificationGroupItem>> {
  const all = await notificationsAfter(ctx, viewer.id, 0);
  const wanted = wants === undefined ? all : all.filter(wants);
  const isShown = await shownTo(ctx, viewer, wanted, { messages });
  const hidden = heals === true ? wanted.filter((one) => !isShown(one)) : [];
  await removeGone(ctx, viewer, hidden);
  const groups = groupNotifications(wanted.filter(isShown), viewer.notificationsRead, grouped);
  const bottom = Math.max(after, from ?? 0);
  const within = groups.filter(({ stamp }) => stamp < before && stamp > bottom);
  const { items, older } =
    from === undefined ? cutPage(within, limit) : cutPageUp(within.toReversed(), limit);
  return { items: await withTweets(ctx, viewer, items), older };
}

/** The same, as the site pages it: messages have pages of their own. No other page heals, see docs/decisions/0011. */
export async function notificationsFeed(ctx: Ctx, viewer: User, before?: Stamp) {
  return await groupsPage(ctx, viewer, { before, limit: pageSize, messages: false, heals: true });
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

/**
 * Number of unread groups, up to `mostCounted`. `messages`: whether those of messages count, as in the API. One visible
 * member is enough for a group, so only a few members are checked.
 */
export async function countUnreadGroups(ctx: Ctx, viewer: User, { messages = false } = {}) {
  const entries = await notificationsAfter(ctx, viewer.id, viewer.notificationsRead);
  const groups = membersByGroup(entries);
  let count = 0;
  for (let start = 0; start < groups.length && count < mostCounted; start += mostCounted)
    count += await countShown(ctx, viewer, groups.slice(start, start + mostCounted), messages);
  return Math.min(count, mostCounted);
}

/** Number of groups with a visible member. */
async function countShown(ctx: Ctx, viewer: User, groups: Notification[][], messages: boolean) {
  let [open, count, start, step] = [groups, 0, 0, askedFirst];
  while (open.length > 0) {
    const ids = open.flatMap((members) => members.slice(start, start + step));
    const isShown = await shownTo(ctx, viewer, ids, { messages });
    const left = open.filter((members) => !members.slice(start, start + step).some(isShown));
    count += open.length - left.length;
    start += step;
    step = askedNext;
    open = left.filter((members) => members.length > start);
  }
  return count;
}

/** Removes notifications that are gone for good; a repair, so nothing depends on it. Hidden ones stay. */
async function removeGone(ctx: Ctx, viewer: User, hidden: Notification[]): Promise<void> {
  if ((await goneAmong(ctx, hidden)).length === 0) return;
  // Looks again: the memory may not have heard yet of a new tweet.
  await ctx.memory.settled();
  await bestEffort(removeNotifications(ctx, viewer.id, await goneAmong(ctx, hidden)));
}

async function goneAmong(ctx: Ctx, hidden: Notification[]): Promise<Notification[]> {
  if (hidden.length === 0) return [];
  const actors = hidden.map(({ actor }) => actor);
  const [people, tweets] = await Promise.all([findUsers(ctx, actors), findTweetsOf(ctx, hidden)]);
  return hidden.filter(
    ({ actor, tweet }) => !people.has(actor) || (tweet !== undefined && !tweets.has(tweet)),
  );
}

/**
 * Groups the likes of one tweet, the retweets of one tweet, and the follows and the requests of one day (UTC), as far as these kinds
 * are `grouped`; all others are not grouped. Newest first. Duplicates count once, with their first stamp. `read`: the
 * user has read up to this stamp.
 */
export function groupNotifications(
  entries: Notification[],
  read: Stamp,
  grouped = groupedKinds,
): NotificationGroup[] {
  return membersByGroup(entries, grouped).flatMap((members): NotificationGroup[] => {
    const [newest, first] = [members[0], members.at(-1)];
    if (newest === undefined || first === undefined) return [];
    const { kind, tweet, stamp } = newest;
    const actors = members.map(({ actor }) => actor);
    return [{ kind, tweet, actors, stamp, first, unread: stamp > read }];
  });
}

/** The members of each group, see groupNotifications: groups and members newest first. */
function membersByGroup(entries: Notification[], grouped = groupedKinds): Notification[][] {
  const groups = new Map<string, Notification[]>();
  for (const entry of onceEach(entries).toSorted(newestFirst)) {
    const together = grouped.includes(entry.kind) ? nameOfGroup(entry) : serializeAction(entry);
    const group = groups.get(together) ?? [];
    groups.set(together, group);
    group.push(entry);
  }
  return [...groups.values()];
}

/** The same for all members of a group: what they did, and to which tweet or on which day. */
export function nameOfGroup({ kind, tweet, stamp }: Notification): string {
  return `${kind}-${tweet ?? dayOf(stamp)}`;
}

/** The first stamp of each action. */
function onceEach(entries: Notification[]): Notification[] {
  const newest = entries.toSorted((one, other) => other.stamp - one.stamp);
  return [...new Map(newest.map((entry) => [serializeAction(entry), entry])).values()];
}

/** Entries with the same stamp always have the same order. */
function newestFirst(one: Notification, other: Notification): number {
  return other.stamp - one.stamp || (serializeAction(one) < serializeAction(other) ? 1 : -1);
}
