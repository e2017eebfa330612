import type { TweetId, UserId } from "../ids.ts";
import { type Stamp, stampToDate } from "../stamp.ts";
import { type Kind, type Notification, serializeDeed } from "./store.ts";

/** What several people did alike, told in one sentence. */
export interface Group {
  kind: Kind;
  tweet: TweetId | undefined;
  /** Newest first, each once. */
  actors: UserId[];
  /** Of the newest of its members. */
  stamp: Stamp;
  /** Something in it is newer than what was read. */
  unread: boolean;
}

/**
 * Likes of one tweet are one group, so are retweets of one tweet and the follows of one day (UTC);
 * replies and mentions stand alone. Newest first. What is there twice counts once, with its first
 * stamp. `read` is the stamp up to which the person has read.
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

/** What stands together, see groupNotifications: groups and their members newest first. */
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

/** Those of one moment in an order that is always the same. */
function newestFirst(one: Notification, other: Notification): number {
  return other.stamp - one.stamp || (serializeDeed(one) < serializeDeed(other) ? 1 : -1);
}

function dayOf(stamp: Stamp): string {
  return stampToDate(stamp).toISOString().slice(0, 10);
}
