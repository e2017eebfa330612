import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tweetId, userId } from "../../../src/domain/ids.ts";
import {
  type NotificationGroup,
  groupNotifications,
} from "../../../src/domain/notifications/grouped.ts";
import {
  isWritten,
  notificationKinds,
  type Notification,
  serializeAction,
} from "../../../src/domain/notifications/store.ts";

const isFollow = (kind: string) => kind === "follow" || kind === "follow_request";

/** Microseconds. */
const day = 86_400_000_000;
const start = 20_000 * day;

const notification = fc
  .record({
    kind: fc.constantFrom(...notificationKinds),
    tweet: fc.integer({ min: 1, max: 4 }),
    actor: fc.integer({ min: 1, max: 6 }),
    // Few moments, so that some tie; around midnight.
    stamp: fc.integer({ min: -12, max: 12 }).map((hours) => start + hours * (day / 24)),
  })
  .map(({ kind, tweet, actor, stamp }): Notification => {
    // A tweet has one author, so only one person can have answered or mentioned somebody with it.
    return {
      kind,
      tweet: isFollow(kind) ? undefined : tweetId(tweet),
      actor: userId(isWritten(kind) ? tweet : actor),
      stamp,
    };
  });

/** As a sorted set keeps them: each deed once. */
const entries = fc.uniqueArray(notification, { selector: serializeAction, maxLength: 60 });
const read = fc.integer({ min: -13, max: 13 }).map((hours) => start + hours * (day / 24));

/** What belongs together, said in the plainest way. */
function belongTogether(one: Notification, other: Notification): boolean {
  if (one.kind !== other.kind) return false;
  if (one.kind === "like" || one.kind === "retweet") return one.tweet === other.tweet;
  if (isFollow(one.kind)) return Math.floor(one.stamp / day) === Math.floor(other.stamp / day);
  return one.tweet === other.tweet && one.actor === other.actor;
}

/** The groups of a naive model: each entry joins the first group in which somebody belongs with it. */
function naive(all: Notification[]): Notification[][] {
  const groups: Notification[][] = [];
  for (const entry of all) {
    const group = groups.find((members) => members.some((one) => belongTogether(one, entry)));
    if (group === undefined) groups.push([entry]);
    else group.push(entry);
  }
  return groups;
}

/** The entries of which a group tells. */
function membersOf(group: NotificationGroup, all: Notification[]): Notification[] {
  return all.filter((entry) => {
    const sameDay = Math.floor(entry.stamp / day) === Math.floor(group.stamp / day);
    const about = isFollow(group.kind) ? sameDay : entry.tweet === group.tweet;
    return entry.kind === group.kind && about && group.actors.includes(entry.actor);
  });
}

const inOrder = (list: object[]) => list.map((one) => JSON.stringify(one)).toSorted();

describe("groups of notifications", () => {
  it("groups hold every notification exactly once", () => {
    fc.assert(
      fc.property(entries, read, (all, mark) => {
        const groups = groupNotifications(all, mark);
        const told = groups.flatMap((group) => membersOf(group, all).map(serializeAction));
        expect(told.toSorted()).toEqual(all.map(serializeAction).toSorted());
        const actors = groups.reduce((sum, group) => sum + group.actors.length, 0);
        expect(actors).toBe(all.length);
      }),
    );
  });

  it("groups agree with a naive model", () => {
    fc.assert(
      fc.property(entries, read, (all, mark) => {
        const model = naive(all).map((members) => ({
          kind: members[0]?.kind,
          actors: members.map(({ actor }) => actor).toSorted(),
          stamp: Math.max(...members.map(({ stamp }) => stamp)),
          unread: members.some(({ stamp }) => stamp > mark),
        }));
        const groups = groupNotifications(all, mark).map(({ kind, actors, stamp, unread }) => ({
          kind,
          actors: actors.toSorted(),
          stamp,
          unread,
        }));
        expect(inOrder(groups)).toEqual(inOrder(model));
      }),
    );
  });

  it("groups are newest first, and so are the users in each", () => {
    fc.assert(
      fc.property(entries, read, (all, mark) => {
        const groups = groupNotifications(all, mark);
        const stamps = groups.map(({ stamp }) => stamp);
        expect(stamps).toEqual(stamps.toSorted((one, other) => other - one));
        for (const group of groups) {
          const members = membersOf(group, all);
          const stampOf = new Map(members.map(({ actor, stamp }) => [actor, stamp]));
          const those = group.actors.map((actor) => stampOf.get(actor) ?? 0);
          expect(those).toEqual(those.toSorted((one, other) => other - one));
          expect(those[0]).toBe(group.stamp);
        }
      }),
    );
  });

  it("groups do not depend on the order of entries or on duplicates", () => {
    const shuffled = entries.chain((all) =>
      fc.tuple(
        fc.constant(all),
        fc.shuffledSubarray(all, { minLength: all.length }),
        fc.subarray(all),
      ),
    );
    fc.assert(
      fc.property(shuffled, read, ([all, others, again], mark) => {
        // Told again later, as by a job that ran twice: the first stamp counts.
        const later = again.map((entry) => ({ ...entry, stamp: entry.stamp + 7 * day }));
        const groups = groupNotifications(all, mark);
        expect(groupNotifications([...later, ...others], mark)).toEqual(groups);
      }),
    );
  });

  it("groups of entries newer than the mark are exactly the unread ones", () => {
    fc.assert(
      fc.property(entries, read, (all, mark) => {
        const unread = groupNotifications(all, mark).filter((group) => group.unread);
        const newer = all.filter(({ stamp }) => stamp > mark);
        expect(groupNotifications(newer, mark)).toHaveLength(unread.length);
      }),
    );
  });

  it("no entries make no groups", () => {
    expect(groupNotifications([], 0)).toEqual([]);
  });
});
