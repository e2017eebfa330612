import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { UserId } from "../../../src/domain/ids.ts";
import { pageSize } from "../../../src/domain/page.ts";
import { hiddenFrom } from "../../../src/domain/graph/relations.ts";
import { readPeople } from "../../../src/domain/graph/people-lists.ts";
import { suspendUser } from "../../../src/domain/users/suspension.ts";
import { findUser, type User } from "../../../src/domain/users/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { getViewer, newPeople } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("hidden users", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  async function hide(me: UserId, people: UserId[]): Promise<UserId[]> {
    const { ctx } = world;
    const [gone, suspended, blocked, blocker, ...rest] = people as [UserId, UserId, UserId, UserId];
    await ctx.redis.hset(keys.user(gone), "deleted_at", 1);
    await findUser(ctx, gone);
    await suspendUser(ctx, (await findUser(ctx, suspended)) as User);
    await ctx.redis.zadd(keys.blocks(me), 1, blocked);
    await ctx.redis.zadd(keys.blockedBy(me), 1, blocker);
    return rest;
  }

  it("deleted, suspended and blocked users are hidden; muted users and the viewer are not", async () => {
    const { ctx } = world;
    const [me, muted, ...others] = (await newPeople(ctx, 7)) as [UserId, UserId, ...UserId[]];
    const seen = await hide(me, others);
    await ctx.redis.zadd(keys.mutes(me), 1, muted);
    const everybody = [me, muted, ...others];
    const shownTo = async (viewer: UserId | undefined) => {
      const isHidden = await hiddenFrom(ctx, viewer && (await getViewer(ctx, viewer)), everybody);
      return everybody.filter((id) => !isHidden(id));
    };
    expect(await shownTo(me)).toEqual([me, muted, ...seen]);
    expect(await shownTo(undefined)).toEqual([me, muted, ...others.slice(2)]);
  });

  it("hidden users do not end a list of users early", async () => {
    const { ctx } = world;
    const [me, ...others] = (await newPeople(ctx, pageSize + 9)) as [UserId, ...UserId[]];
    const seen = await hide(me, others);
    const viewer = await getViewer(ctx, me);
    const list = others.map((id, nth) => ({ id, stamp: 1000 - nth }));
    const ids: UserId[] = [];
    const sizes: number[] = [];
    for (let before: number | undefined = 1001; before !== undefined;) {
      const page = await readPeople(ctx, { viewer, before }, async (range) => {
        const rest = list.filter(({ stamp }) => stamp < (range.before ?? Infinity));
        const items = rest.slice(0, range.limit);
        return { items, older: items.length < rest.length ? items.at(-1)?.stamp : undefined };
      });
      ids.push(...page.items.map(({ id }) => id));
      sizes.push(page.items.length);
      before = page.older;
    }
    expect(ids).toEqual(seen);
    expect(sizes).toEqual([pageSize, seen.length - pageSize]);
  });
});
