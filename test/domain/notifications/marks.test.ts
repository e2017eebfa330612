import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Ctx } from "../../../src/context.ts";
import type { RedisClient } from "../../../src/redis/redis-client.ts";
import { contextWithDeadlines } from "../../../src/domain/deadline.ts";
import type { UserId } from "../../../src/domain/ids.ts";
import { notify, markRead } from "../../../src/domain/notifications/store.ts";
import { countUnreadGroups } from "../../../src/domain/notifications/grouped.ts";
import { findUser, type User } from "../../../src/domain/users/store.ts";
import { waitUntilReady } from "../../../src/redis/client.ts";
import { dump } from "../../support/world/dump.ts";
import { newPeople } from "../../support/actors/people.ts";
import {
  connectToTestRedis,
  createWorld,
  openMemory,
  type World,
} from "../../support/world/world.ts";

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
    await notify(world.ctx, { to: user, kind: "follow", actor, stamp: tweet });

  it("unread notifications are counted from the read mark, in every process at once", async () => {
    const memory = await openMemory(other, world.ctx.config);
    const elsewhere = contextWithDeadlines({ ...world.ctx, redis: other, memory });
    const count = async () => await countUnreadGroups(elsewhere, await present(elsewhere));
    expect(await count()).toBe(0);
    await tell(3);
    expect(await count()).toBe(1);
    await markRead(world.ctx, await present(), 2);
    expect(await count()).toBe(1);
    await markRead(world.ctx, await present(), 3);
    expect(await count()).toBe(0);
    memory.close();
  });

  it("the read mark never goes back, and is not written twice", async () => {
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
