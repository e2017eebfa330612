import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TweetId, tweetId, type UserId } from "../../../src/domain/ids.ts";
import {
  addNotification,
  clearNotifications,
  type Notification,
  notificationsAfter,
  markRead,
} from "../../../src/domain/notifications/store.ts";
import { deleteTweet } from "../../../src/domain/actions/delete-tweet.ts";
import {
  countUnreadNotifications,
  notificationsAt,
  type NotificationRange,
  singleNotifications,
} from "../../../src/domain/notifications/single.ts";
import { mute } from "../../../src/domain/actions/mute.ts";
import { findUser, type User } from "../../../src/domain/users/store.ts";
import { newPeople, postAndDeliver } from "../../support/actors/people.ts";
import { onCluster } from "../../support/world/test-redis.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { runs } from "../../support/models/property-runs.ts";

const deeds = fc.array(
  fc.record({
    kind: fc.constantFrom("follow" as const, "like" as const, "retweet" as const),
    who: fc.nat(3),
    tweet: fc.nat(2),
    stamp: fc.integer({ min: 1, max: 15 }),
  }),
  { maxLength: 30 },
);
const looks = fc.record({
  limit: fc.integer({ min: 1, max: 6 }),
  low: fc.nat(16),
  high: fc.nat(16),
  kind: fc.constantFrom("follow", "like", undefined),
});

const spell = ({ kind, actor, tweet, stamp }: Notification) =>
  `${stamp} ${kind} ${tweet ?? ""} ${actor}`;

const spelled = (items: Notification[]) => items.map(spell);
const told = (items: Notification[]) => spelled(items).toSorted();

describe("notifications one by one", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  const look = async (id: UserId) => (await findUser(world.ctx, id)) as User;

  /** A user with three tweets, one of them deleted, and four other users, one of them muted. */
  async function furnish() {
    const { ctx } = world;
    const [me, ...others] = (await newPeople(ctx, 5)) as [UserId, ...UserId[]];
    const tweets = [
      await postAndDeliver(ctx, me, "1"),
      await postAndDeliver(ctx, me, "2"),
      await postAndDeliver(ctx, me, "3"),
    ];
    const [muted, deleted] = [others[3] as UserId, tweets[2] as TweetId];
    await mute(ctx, { muter: me, muted });
    await deleteTweet(ctx, me, deleted);
    return { me, others, tweets, muted, deleted };
  }

  // A cluster has no one count of commands.
  it.skipIf(onCluster)(
    "a short page takes few rounds, also where hundreds of notifications are hidden",
    async () => {
      const { ctx } = world;
      const { me, muted } = await furnish();
      for (let stamp = 1; stamp <= 300; stamp += 1)
        await addNotification(ctx, me, {
          kind: "like",
          actor: muted,
          tweet: tweetId(stamp),
          stamp,
        });
      const commands = async () =>
        Number(/total_commands_processed:(\d+)/.exec(await ctx.redis.info("stats"))?.[1]);
      const [viewer, before] = [await look(me), await commands()];
      expect((await singleNotifications(ctx, viewer, { limit: 1 })).items).toEqual([]);
      expect((await commands()) - before).toBeLessThan(450);
    },
  );

  it("single notifications are the same from either end, and as many as are unread", async () => {
    const { ctx } = world;
    const { me, others, tweets, muted, deleted } = await furnish();
    await fc.assert(
      fc.asyncProperty(deeds, looks, fc.nat(16), async (done, { limit, low, high, kind }, read) => {
        await clearNotifications(ctx, me);
        const first = new Map<string, Notification>();
        const taken = new Set<number>();
        for (const { kind: what, who, tweet: nth, stamp } of done) {
          const tweet = what === "follow" ? undefined : tweets[nth];
          const one = { kind: what, actor: others[who] as UserId, tweet, stamp };
          await addNotification(ctx, me, one);
          const name = `${what} ${tweet} ${one.actor}`;
          if (first.has(name)) continue;
          while (taken.has(one.stamp)) one.stamp += 1;
          taken.add(one.stamp);
          first.set(name, one);
        }
        const shown = [...first.values()]
          .filter(({ actor, tweet }) => actor !== muted && tweet !== deleted)
          .filter((one) => kind === undefined || one.kind === kind);
        const list = shown.toSorted((one, other) => other.stamp - one.stamp);
        const viewer = await look(me);
        const wants = (one: Notification) => kind === undefined || one.kind === kind;
        const ask = async (part: Omit<NotificationRange, "limit">) =>
          (await singleNotifications(ctx, viewer, { ...part, limit, wants })).items;

        expect(spelled(await walk(ask, "before"))).toEqual(spelled(list));
        expect(told(await walk(ask, "from"))).toEqual(told(list));
        const within = list.filter(({ stamp }) => stamp > low && stamp < high);
        expect(spelled(await ask({ after: low, before: high }))).toEqual(
          spelled(within.slice(0, limit)),
        );
        expect(spelled(await ask({ from: low, before: high }))).toEqual(
          spelled(within.slice(-limit)),
        );
        expect(told((await notificationsAt(ctx, viewer, high)).filter(wants))).toEqual(
          told(list.filter(({ stamp }) => stamp === high)),
        );
        const reader = { ...viewer, notificationsRead: read };
        const all = [...first.values()].filter(
          ({ actor, tweet }) => actor !== muted && tweet !== deleted,
        );
        expect(await countUnreadNotifications(ctx, reader, limit)).toBe(
          Math.min(limit, all.filter(({ stamp }) => stamp > read).length),
        );
      }),
      runs(60),
    );
  });

  it("reading single notifications removes nothing and marks nothing as read", async () => {
    const { ctx } = world;
    const { me, others, deleted } = await furnish();
    const [actor = me] = others;
    await addNotification(ctx, me, { kind: "like", tweet: deleted, actor, stamp: 5 });
    await addNotification(ctx, me, { kind: "follow", actor, stamp: 6 });
    const { items } = await singleNotifications(ctx, await look(me), { limit: 10 });
    expect(items.map(spell)).toEqual([`6 follow  ${actor}`]);
    expect(await notificationsAfter(ctx, me, 0)).toHaveLength(2);
    expect(await countUnreadNotifications(ctx, await look(me), 10)).toBe(1);
    await markRead(ctx, await look(me), 6);
    expect(await countUnreadNotifications(ctx, await look(me), 10)).toBe(0);
  });
});

/** To the end in one direction, no item twice. */
async function walk(
  ask: (part: Omit<NotificationRange, "limit">) => Promise<Notification[]>,
  bound: "before" | "from",
): Promise<Notification[]> {
  const all: Notification[] = [];
  for (let part: Omit<NotificationRange, "limit"> = bound === "from" ? { from: 0 } : {}; ;) {
    const page = await ask(part);
    const edge = bound === "from" ? page[0] : page.at(-1);
    if (edge === undefined) return all;
    all.push(...page);
    part = { [bound]: edge.stamp };
  }
}
