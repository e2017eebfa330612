import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type UserId, userId } from "../../../src/domain/ids.ts";
import { follow, unfollow } from "../../../src/domain/actions/follow.ts";
import { findUser, type User } from "../../../src/domain/users/store.ts";
import { presentName, presentPeople } from "../../../src/web/layout/people.ts";
import { keys } from "../../../src/redis/keys.ts";
import { userWith, newPeople } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { readerAs } from "../../support/actors/english-reader.ts";

describe("people", () => {
  let world: World;
  let me: User;
  let friend: User;
  let fan: User;
  let mutual: User;
  let stranger: User;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    const ids = await newPeople(world.ctx, 5);
    const users = await Promise.all(ids.map((id) => findUser(world.ctx, id)));
    [me, friend, fan, mutual, stranger] = users as [User, User, User, User, User];
    const edges: [UserId, UserId][] = [
      [me.id, friend.id],
      [fan.id, me.id],
      [me.id, mutual.id],
      [mutual.id, me.id],
    ];
    for (const [follower, followee] of edges) await follow(world.ctx, { follower, followee });
  });
  afterAll(() => world.close());

  it("users are shown with the viewer's relation, in the given order", async () => {
    const people = [stranger, fan, friend, mutual];
    const views = await presentPeople(world.ctx, readerAs(me), people);
    expect(views.map((view) => view.id)).toEqual(people.map((person) => person.id));
    expect(views.map((view) => view.followsYou)).toEqual([false, true, false, true]);
    expect(views.map((view) => view.follow)).toEqual([
      { action: `/@${stranger.name}/follow`, label: "Follow", pressed: false },
      { action: `/@${fan.name}/follow`, label: "Follow back", pressed: false },
      { action: `/@${friend.name}/unfollow`, label: "Unfollow", pressed: true },
      { action: `/@${mutual.name}/unfollow`, label: "Unfollow", pressed: true },
    ]);
  });

  it("a protected user is asked, and a request is taken back with the same button", async () => {
    await world.ctx.redis.hset(keys.user(stranger.id), "protected", "1");
    await world.ctx.memory.settled();
    const closed = (await findUser(world.ctx, stranger.id)) as User;
    const button = async () => (await presentPeople(world.ctx, readerAs(me), [closed]))[0]?.follow;
    const path = `/@${closed.name}`;
    const ask = { action: `${path}/follow`, label: "Ask to follow", pressed: false };
    expect(await button()).toEqual(ask);
    await follow(world.ctx, { follower: me.id, followee: closed.id });
    await world.ctx.memory.settled();
    const asked = { action: `${path}/unfollow`, label: "Requested", pressed: true };
    expect(await button()).toEqual(asked);
    await unfollow(world.ctx, { follower: me.id, followee: closed.id });
    await world.ctx.memory.settled();
    expect(await button()).toEqual(ask);
  });

  it("users have no follow button for themselves", async () => {
    const [view] = await presentPeople(world.ctx, readerAs(me), [me]);
    expect(view).toMatchObject({ isMe: true, follow: undefined, followsYou: false });
  });

  it("visitors see a follow button, which leads to the log-in", async () => {
    const [view] = await presentPeople(world.ctx, readerAs(undefined), [friend]);
    expect(view).toMatchObject({
      isMe: false,
      followsYou: false,
      follow: { action: `/@${friend.name}/follow`, label: "Follow" },
    });
  });

  it("a list of users may be empty", async () => {
    expect(await presentPeople(world.ctx, readerAs(me), [])).toEqual([]);
  });
});

const user = (id: string, fullname: string) => userWith({ id: userId(id), fullname });

describe("a name", () => {
  it("a name comes with its profile and picture", () => {
    expect(presentName(user("1", "ada lovelace"))).toEqual({
      id: "1",
      name: "Bird",
      isProtected: false,
      fullname: "ada lovelace",
      url: "/@Bird",
      avatar: "/avatars/1-41.svg",
    });
  });
});
