import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { Ctx, RedisClient } from "../../../src/context.ts";
import { tweetId, type UserId } from "../../../src/domain/ids.ts";
import { notify } from "../../../src/domain/notifications/notify.ts";
import { knownUnread, markRead } from "../../../src/domain/notifications/unread.ts";
import { findUser, type User } from "../../../src/domain/users/store.ts";
import { touchUser } from "../../../src/domain/users/versions.ts";
import { waitUntilReady } from "../../../src/redis/client.ts";
import { dump } from "../../support/dump.ts";
import { newPeople } from "../../support/people.ts";
import { connectToTestRedis, createWorld, type World } from "../../support/world.ts";

describe("the number of unread notifications", () => {
  let world: World;
  let other: RedisClient;
  let user: UserId;
  let actor: UserId;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    other = connectToTestRedis("web", world.ctx.config);
    await waitUntilReady(other, 5000);
  });
  beforeEach(async () => {
    [user, actor] = (await newPeople(world.ctx, 2)) as [UserId, UserId];
  });
  afterAll(async () => {
    other.disconnect();
    await world.close();
  });

  /** As a request finds them. */
  async function present(ctx: Ctx = world.ctx): Promise<User> {
    const found = await findUser(ctx, user);
    if (found === undefined) throw new Error("nobody");
    return found;
  }

  const tell = async (tweet: number) =>
    await notify(world.ctx, { to: user, kind: "like", tweet: tweetId(tweet), actor, stamp: tweet });

  it("is counted again only when something has changed for the person", async () => {
    const count = vi.fn<(read: number) => Promise<number>>(async () => 7);
    const ask = async () => await knownUnread(world.ctx, await present(), count);
    expect([await ask(), await ask(), await ask()]).toEqual([7, 7, 7]);
    expect(count).toHaveBeenCalledTimes(1);
    const changes = [
      () => tell(1),
      () => tell(2),
      () => touchUser(world.ctx, user),
      async () => await markRead(world.ctx, await present(), 2),
    ];
    for (const [nth, change] of changes.entries()) {
      await change();
      await ask();
      await ask();
      expect(count).toHaveBeenCalledTimes(nth + 2);
    }
    // Being told the same again, or having read what was read, is no change.
    await tell(2);
    await markRead(world.ctx, await present(), 2);
    await ask();
    expect(count).toHaveBeenCalledTimes(changes.length + 1);
  });

  it("is counted from where the person has read to", async () => {
    await markRead(world.ctx, await present(), 500);
    const count = vi.fn<(read: number) => Promise<number>>(async () => 0);
    await knownUnread(world.ctx, await present(), count);
    expect(count).toHaveBeenCalledWith(500);
  });

  it("changes in another process too, as soon as they are read here", async () => {
    const elsewhere = { ...world.ctx, redis: other };
    await tell(3);
    const count = vi.fn<(read: number) => Promise<number>>(async (read) => (read < 3 ? 1 : 0));
    expect(await knownUnread(elsewhere, await present(elsewhere), count)).toBe(1);
    await markRead(world.ctx, await present(), 3);
    expect(await knownUnread(elsewhere, await present(elsewhere), count)).toBe(0);
  });

  it("is marked read up to a moment that never goes back, and is not written twice", async () => {
    await markRead(world.ctx, await present(), 900);
    const before = await dump(world.ctx);
    const outdated = { ...(await present()), notificationsRead: 0 };
    for (const stamp of [900, 899, 1]) await markRead(world.ctx, outdated, stamp);
    expect(await dump(world.ctx)).toEqual(before);
    expect((await present()).notificationsRead).toBe(900);
    const real = 1_795_194_950_193_007;
    await markRead(world.ctx, outdated, real);
    expect((await present()).notificationsRead).toBe(real);
  });
});
