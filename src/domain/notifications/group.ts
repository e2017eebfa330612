import type { TweetId, UserId } from "../ids.ts";
import { type Stamp, stampToDate } from "../stamp.ts";
import { type Kind, type Notification, serializeDeed } from "./store.ts";

/** Actions of the same kind, shown as one sentence. */
export interface Group {
  kind: Kind;
  tweet: TweetId | undefined;
  /** Newest first, without duplicates. */
  actors: UserId[];
  /** Stamp of its newest member. */
  stamp: Stamp;
  /** Whether a member is newer than the last read one. */
  unread: boolean;
}

/**
 * Groups the likes of one tweet, the retweets of one tweet, and the follows of one day (UTC); replies and
 * mentions are not grouped. Newest first. Duplicates count once, with their first stamp. `read`: the user has
 * read up to this stamp.
 */
export function groupNotifications(entries: Notification[], read: Stamp): Group[] {
  return membersByGroup(entries).flatMap((members): Group[] => {
    const [newest] = members;
    if (newest === undefined) return [];
    const { kind, tweet, stamp } = newest;
    const actors = members.map(({ actor }) => actor);
    return [{ kind, tweet, actors, stamp, unread: stamp > read }];
  });
}

/** The members of each group, see groupNotifications: groups and members newest first. */
export function membersByGroup(entries: Notification[]): Notification[][] {
  const groups = new Map<string, Notification[]>();
  for (const entry of onceEach(entries).toSorted(newestFirst)) {
    const together = `${entry.kind}:${entry.tweet ?? dayOf(entry.stamp)}`;
    const group = groups.get(together);
    if (group === undefined) groups.set(together, [entry]);
    else group.push(entry);
  }
  return [...groups.values()];
}

function onceEach(entries: Notification[]): Notification[] {
  const first = new Map<string, Notification>();
  for (const entry of entries) {
    const name = serializeDeed(entry);
    const known = first.get(name);
    if (known === undefined || entry.stamp < known.stamp) first.set(name, entry);
  }
  return [...first.values()];
}

/** Entries with the same stamp always have the same order. */
function newestFirst(one: Notification, other: Notification): number {
  return other.stamp - one.stamp || (serializeDeed(one) < serializeDeed(other) ? 1 : -1);
}

function dayOf(stamp: Stamp): string {
  return stampToDate(stamp).toISOString().slice(0, 10);
}
