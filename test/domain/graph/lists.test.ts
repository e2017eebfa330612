import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { block } from "../../../src/domain/actions/block.ts";
import { follow, unfollow } from "../../../src/domain/actions/follow.ts";
import { Invalid, NotFound } from "../../../src/domain/errors.ts";
import type { ListId, UserId } from "../../../src/domain/ids.ts";
import {
  addToList,
  changeList,
  chooseLists,
  countMembers,
  deleteList,
  getList,
  listsOf,
  listsWith,
  makeList,
  membersAtMost,
  membersOfList,
  removeFromList,
} from "../../../src/domain/graph/lists.ts";
import { exec } from "../../../src/redis/exec.ts";
import { keys } from "../../../src/redis/keys.ts";
import { newPeople } from "../../support/actors/people.ts";
import { endingAfter, untilEnded } from "../../support/world/ending-process.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("lists of people", () => {
  let world: World;
  let owner: UserId;
  let friend: UserId;
  let other: UserId;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    [owner, friend, other] = (await newPeople(world.ctx, 3)) as [UserId, UserId, UserId];
    await follow(world.ctx, { follower: owner, followee: friend });
  });
  afterAll(() => world.close());

  async function newList(title = "Birds"): Promise<ListId> {
    return (await makeList(world.ctx, owner, { title, replies: "list" })).id;
  }

  const members = async (list: ListId) => await membersOfList(world.ctx, owner, list);

  it("a list is made, changed and deleted by its owner, and unknown to others", async () => {
    const { ctx } = world;
    const list = await newList("  My \u202E birds ");
    expect(await getList(ctx, owner, list)).toMatchObject({ title: "My birds", replies: "list" });
    const changed = await changeList(ctx, owner, list, { replies: "none" });
    expect(changed).toMatchObject({ id: list, title: "My birds", replies: "none" });
    expect(await listsOf(ctx, owner)).toEqual([changed]);
    await expect(getList(ctx, other, list)).rejects.toThrow(NotFound);
    await expect(changeList(ctx, other, list, { title: "Mine" })).rejects.toThrow(NotFound);
    await addToList(ctx, { owner, list, member: friend });
    await deleteList(ctx, other, list);
    expect(await members(list)).toEqual([friend]);
    await deleteList(ctx, owner, list);
    await expect(changeList(ctx, owner, list, { title: "Again" })).rejects.toThrow(NotFound);
    expect(await ctx.redis.exists(keys.listMembers(owner, list))).toBe(0);
  });

  it("a list without a name, or with a long one, is refused; so is the 51st", async () => {
    const { ctx } = world;
    const [user] = (await newPeople(ctx, 1)) as [UserId];
    const make = (title: string) => makeList(ctx, user, { title, replies: "list" });
    await expect(make(" \u200B ")).rejects.toThrow("title: list.empty");
    await expect(make("雀".repeat(51))).rejects.toThrow("title: list.long");
    for (let nth = 0; nth < 50; nth += 1) await make("雀".repeat(50));
    await expect(make("one more")).rejects.toThrow("title: list.many");
    expect(await listsOf(ctx, user)).toHaveLength(50);
  });

  it("a list holds its owner and people whom the owner follows, and no others", async () => {
    const { ctx } = world;
    const list = await newList();
    await addToList(ctx, { owner, list, member: friend });
    await addToList(ctx, { owner, list, member: friend });
    // Two in one millisecond would stand in the order of their ids.
    world.pass(1);
    await addToList(ctx, { owner, list, member: owner });
    await expect(addToList(ctx, { owner, list, member: other })).rejects.toThrow(Invalid);
    expect(await members(list)).toEqual([friend, owner]);
    expect(await countMembers(ctx, owner, [list])).toEqual(new Map([[list, 2]]));
    await removeFromList(ctx, { owner, list, member: owner });
    expect(await members(list)).toEqual([friend]);
    const gone = "1" as ListId;
    await expect(addToList(ctx, { owner, list: gone, member: friend })).rejects.toThrow(NotFound);
    await deleteList(ctx, owner, list);
  });

  it("a person is put into the chosen lists and taken out of the others", async () => {
    const { ctx } = world;
    const lists = [await newList(), await newList(), await newList()];
    const [first, second, third] = lists as [ListId, ListId, ListId];
    const having = async () => await listsWith(ctx, { owner, lists, member: friend });
    const choose = async (...chosen: ListId[]) =>
      await chooseLists(ctx, { owner, lists: new Set(chosen), shown: new Map(), member: friend });
    await choose(first, second);
    expect(await having()).toEqual(new Set([first, second]));
    await choose(second, third, "1" as ListId);
    expect(await having()).toEqual(new Set([second, third]));
    await choose();
    expect(await having()).toEqual(new Set());
    for (const list of lists) await deleteList(ctx, owner, list);
  });

  it("the end of a follow takes the person out of all lists", async () => {
    const { ctx } = world;
    const [near, far] = (await newPeople(ctx, 2)) as [UserId, UserId];
    const lists = [await newList(), await newList()];
    for (const member of [near, far]) {
      await follow(ctx, { follower: owner, followee: member });
      for (const list of lists) await addToList(ctx, { owner, list, member });
    }
    await unfollow(ctx, { follower: owner, followee: near });
    await block(ctx, { blocker: far, blocked: owner });
    for (const list of lists) expect(await ctx.redis.exists(keys.listMembers(owner, list))).toBe(0);
    await follow(ctx, { follower: owner, followee: near });
    for (const list of lists) expect(await members(list)).toEqual([]);
    for (const list of lists) await deleteList(ctx, owner, list);
  });

  it("a member whose follow has ended is not shown, whatever the list says", async () => {
    const { ctx } = world;
    const list = await newList();
    await ctx.redis.zadd(keys.listMembers(owner, list), 1, other, 2, friend);
    expect(await members(list)).toEqual([friend]);
    await deleteList(ctx, owner, list);
  });

  it("a person who is unfollowed while being added does not stay in the list", async () => {
    const { ctx } = world;
    const [near] = (await newPeople(ctx, 1)) as [UserId];
    const edge = { follower: owner, followee: near };
    const list = await newList();
    await follow(ctx, edge);
    const redis = new Proxy(ctx.redis, {
      get(target, name) {
        if (name !== "addBounded") return Reflect.get(target, name) as unknown;
        return async (...args: Parameters<typeof target.addBounded>) => {
          await unfollow(ctx, edge);
          return await target.addBounded(...args);
        };
      },
    });
    const adding = addToList({ ...ctx, redis }, { owner, list, member: near });
    await expect(adding).rejects.toThrow("name: list.unfollowed");
    expect(await ctx.redis.exists(keys.listMembers(owner, list))).toBe(0);
    await deleteList(ctx, owner, list);
  });

  it("no member of a deleted list stays behind, wherever the process that deletes it dies", async () => {
    const { ctx } = world;
    for (const commands of [0, 1, 2, 3]) {
      const list = await newList();
      await addToList(ctx, { owner, list, member: friend });
      await untilEnded(deleteList(endingAfter(ctx, commands), owner, list));
      const isListed = (await listsOf(ctx, owner)).some(({ id }) => id === list);
      const isLeft = (await ctx.redis.exists(keys.listMembers(owner, list))) === 1;
      expect(isLeft).toBe(isLeft && isListed);
      await deleteList(ctx, owner, list);
    }
  });

  it("a full list takes no more", async () => {
    const { ctx } = world;
    const list = await newList();
    const key = keys.listMembers(owner, list);
    await exec(
      ctx.redis,
      Array.from({ length: membersAtMost }, (_, nth) => ["zadd", key, 1, 1_000_000 + nth]),
    );
    await expect(addToList(ctx, { owner, list, member: friend })).rejects.toThrow("list.full");
    await deleteList(ctx, owner, list);
  });
});
