import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { UserId } from "../../../src/domain/ids.ts";
import { addNotification } from "../../../src/domain/notifications/store.ts";
import { likeTweet } from "../../../src/domain/actions/like.ts";
import { countUnreadGroups, notificationsFeed } from "../../../src/domain/notifications/grouped.ts";
import { findUser, type User } from "../../../src/domain/users/store.ts";
import { reinstateUser, suspendUser } from "../../../src/domain/users/suspension.ts";
import { keys } from "../../../src/redis/keys.ts";
import { newPeople, newPerson, readAll, postAndDeliver } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("notifications of those who are hidden", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  const look = async (id: UserId) => (await findUser(world.ctx, id)) as User;
  async function listOf(id: UserId) {
    const viewer = await look(id);
    return await readAll((before) => notificationsFeed(world.ctx, viewer, before));
  }
  const unreadOf = async (id: UserId) => await countUnreadGroups(world.ctx, await look(id));

  it("notifications leave out suspended users, and the count agrees", async () => {
    const { ctx } = world;
    const [me, friend, other] = (await newPeople(ctx, 3)) as [UserId, UserId, UserId];
    const [one, two] = [await postAndDeliver(ctx, me, "one"), await postAndDeliver(ctx, me, "two")];
    await likeTweet(ctx, friend, one);
    await likeTweet(ctx, other, one);
    await likeTweet(ctx, friend, two);
    await suspendUser(ctx, await look(friend));
    expect(await listOf(me)).toMatchObject([{ kind: "like", tweet: one, actors: [other] }]);
    expect(await unreadOf(me)).toBe(1);
    await reinstateUser(ctx, await look(friend));
    expect(await listOf(me)).toMatchObject([{ tweet: two }, { actors: [other, friend] }]);
    expect(await unreadOf(me)).toBe(2);
  });

  it("the unread count matches the list up to 99 without reading all users", async () => {
    const { ctx } = world;
    const me = await newPerson(ctx);
    const [quiet, loud] = [await newPeople(ctx, 40), await newPeople(ctx, 260)];
    for (const muted of quiet) await ctx.redis.zadd(keys.mutes(me), 1, muted);
    const start = ctx.now() * 1000;
    const [liked, other] = [
      await postAndDeliver(ctx, me, "liked"),
      await postAndDeliver(ctx, me, "other"),
    ];
    for (const [nth, actor] of [...loud, ...quiet].entries())
      await addNotification(ctx, me, { kind: "like", tweet: liked, actor, stamp: start + nth });
    for (const [nth, actor] of quiet.slice(0, 39).entries())
      await addNotification(ctx, me, {
        kind: "like",
        tweet: other,
        actor,
        stamp: start + 500 + nth,
      });
    const [last = me] = loud;
    await addNotification(ctx, me, { kind: "like", tweet: other, actor: last, stamp: start });
    await addNotification(ctx, me, { kind: "follow", actor: last, stamp: start - 86_400_000_000 });
    const viewer = await look(me);
    const asked = vi.spyOn(ctx.redis, "sendCommand");
    expect(await countUnreadGroups(ctx, viewer)).toBe(3);
    const first = asked.mock.calls.length;
    asked.mockClear();
    expect(await countUnreadGroups(ctx, await look(me))).toBe(3);
    const again = asked.mock.calls.length;
    asked.mockRestore();
    expect(first).toBeLessThan(200);
    expect(again).toBeLessThan(100);
    expect((await listOf(me)).filter(({ unread }) => unread)).toHaveLength(3);
  });
});
