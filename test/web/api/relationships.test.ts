import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { suspendUser } from "../../../src/domain/users/suspension.ts";
import { findUser, getUserByName } from "../../../src/domain/users/store.ts";
import { userId } from "../../../src/domain/ids.ts";
import { ApiClient } from "../../support/actors/api-client.ts";
import { newPeople } from "../../support/actors/people.ts";
import { readByLinks } from "../../support/actors/api-pages.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const verbs = "follow unfollow block unblock mute unmute remove_from_followers".split(" ");

describe("relationships in the API", () => {
  let world: World;
  let ann: ApiClient;
  let bob: ApiClient;
  let [annsId, bobsId] = ["", ""];
  let turn = 0;
  beforeAll(async () => {
    world = await createWorld();
  });
  beforeEach(async () => {
    turn += 1;
    for (const name of [`ann${turn}`, `bob${turn}`]) await world.newcomer(name);
    ann = await ApiClient.of(world, `ann${turn}`);
    bob = await ApiClient.of(world, `bob${turn}`);
    annsId = (await getUserByName(world.ctx, `ann${turn}`)).id;
    bobsId = (await getUserByName(world.ctx, `bob${turn}`)).id;
  });
  afterAll(() => world.close());

  const act = async (verb: string) =>
    (await ann.post(`/api/v1/accounts/${bobsId}/${verb}`).expect(200)).body as object;
  const seenByBob = async () =>
    (await bob.get(`/api/v1/accounts/relationships?id[]=${annsId}`).expect(200)).body[0] as object;

  it("a relationship has all fields of Mastodon's", async () => {
    const { body } = await ann.get(`/api/v1/accounts/relationships?id=${bobsId}`).expect(200);
    expect(body).toEqual([
      {
        id: bobsId,
        following: false,
        showing_reblogs: false,
        notifying: false,
        languages: null,
        followed_by: false,
        blocking: false,
        blocked_by: false,
        muting: false,
        muting_notifications: false,
        muting_expires_at: null,
        requested: false,
        requested_by: false,
        domain_blocking: false,
        endorsed: false,
        note: "",
      },
    ]);
  });

  it("following and unfollowing repeatedly changes the relationship", async () => {
    const followed = { id: bobsId, following: true, showing_reblogs: true };
    expect(await act("follow")).toMatchObject(followed);
    expect(await act("follow")).toMatchObject(followed);
    expect(await seenByBob()).toMatchObject({ following: false, followed_by: true });
    expect(await act("unfollow")).toMatchObject({ following: false });
    expect(await act("unfollow")).toMatchObject({ following: false });
  });

  it("muting and unmuting changes the relationship, invisibly to the other user", async () => {
    expect(await act("mute")).toMatchObject({ muting: true, muting_notifications: true });
    expect(await seenByBob()).toMatchObject({ blocked_by: false, muting: false });
    expect(await act("unmute")).toMatchObject({ muting: false, muting_notifications: false });
  });

  it("a mute has an end or none, and is always of notifications", async () => {
    const path = `/api/v1/accounts/${bobsId}/mute`;
    const { body } = await ann.post(path, { notifications: false }).expect(422);
    expect(body).toMatchObject({
      error: "Validation failed: A mute is of notifications as well here.",
    });
    const timed = await ann.post(path, { duration: "3600" }).expect(200);
    const { muting_expires_at: end } = timed.body as { muting_expires_at: string };
    expect(Math.abs(Date.parse(end) - world.ctx.now() - 3_600_000)).toBeLessThan(60_000);
    await ann.post(path, { duration: "soon" }).expect(422);
    const answer = await ann.post(path, { duration: 0, notifications: "true" }).expect(200);
    expect(answer.body).toMatchObject({ muting: true, muting_expires_at: null });
  });

  it("a block changes the relationship, and ends follows both ways", async () => {
    await act("follow");
    await bob.post(`/api/v1/accounts/${annsId}/follow`).expect(200);
    expect(await act("block")).toMatchObject({
      blocking: true,
      following: false,
      followed_by: false,
    });
    expect(await seenByBob()).toMatchObject({ blocked_by: true, following: false });
    await bob.post(`/api/v1/accounts/${annsId}/follow`).expect(403);
    expect(await act("unblock")).toMatchObject({ blocking: false, following: false });
  });

  it("removing a follower changes the relationship", async () => {
    await bob.post(`/api/v1/accounts/${annsId}/follow`).expect(200);
    expect(await act("remove_from_followers")).toMatchObject({ followed_by: false });
    expect(await seenByBob()).toMatchObject({ following: false });
  });

  it("relationships are read for many users in order, without unknown ones", async () => {
    const others = await newPeople(world.ctx, 3);
    await act("follow");
    const ids = [others[2], "999999", bobsId, "x", others[0], ""];
    const query = ids.map((id) => `id[]=${id}`).join("&");
    const { body } = await ann.get(`/api/v1/accounts/relationships?${query}`).expect(200);
    const told = (body as { id: string; following: boolean }[]).map((one) => [
      one.id,
      one.following,
    ]);
    expect(told).toEqual([
      [others[2], false],
      [bobsId, true],
      [others[0], false],
    ]);
    expect((await ann.get("/api/v1/accounts/relationships").expect(200)).body).toEqual([]);
  });

  it.each(verbs)(
    "changing a relationship requires another user and the scope: %s",
    async (verb) => {
      for (const id of ["999999", "0", "x"])
        await ann.post(`/api/v1/accounts/${id}/${verb}`).expect(404);
      const path = `/api/v1/accounts/${bobsId}/${verb}`;
      await new ApiClient(world).post(path).expect(401);
      await (await ApiClient.app(world)).post(path).expect(401);
      await (await ApiClient.of(world, `ann${turn}`, "read write:statuses")).post(path).expect(403);
      const follower = await ApiClient.of(world, `ann${turn}`, "follow");
      expect((await follower.post(path).expect(200)).body).toMatchObject({ id: bobsId });
    },
  );

  it("a relationship with oneself cannot be changed", async () => {
    for (const verb of ["follow", "mute", "block"])
      await ann.post(`/api/v1/accounts/${annsId}/${verb}`).expect(422);
  });

  it("a relationship with a suspended user can only be ended", async () => {
    await act("mute");
    await act("block");
    const user = await findUser(world.ctx, userId(bobsId));
    if (user !== undefined) await suspendUser(world.ctx, user);
    for (const verb of ["follow", "mute", "block"])
      await ann.post(`/api/v1/accounts/${bobsId}/${verb}`).expect(404);
    const { body } = await ann.get("/api/v1/blocks").expect(200);
    expect(body).toMatchObject([{ id: bobsId, display_name: `bob${turn}`, note: "" }]);
    expect(await act("unblock")).toMatchObject({ blocking: false });
    expect(await act("unmute")).toMatchObject({ muting: false });
  });

  it.each([
    ["mute", "mutes", "read:mutes"],
    ["block", "blocks", "read:blocks"],
  ])("a relationship list (%s) is private, newest first", async (verb, list, scope) => {
    const others = await newPeople(world.ctx, 5);
    for (const id of others) await ann.post(`/api/v1/accounts/${id}/${verb}`).expect(200);
    const reader = await ApiClient.of(world, `ann${turn}`, scope);
    const pages = await readByLinks<{ id: string }>(reader, `/api/v1/${list}?limit=2`);
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(pages.flat().map(({ id }) => id)).toEqual(others.toReversed());
    await (await ApiClient.of(world, `ann${turn}`, "write")).get(`/api/v1/${list}`).expect(403);
    await new ApiClient(world).get(`/api/v1/${list}`).expect(401);
    expect((await bob.get(`/api/v1/${list}`).expect(200)).body).toEqual([]);
  });
});
