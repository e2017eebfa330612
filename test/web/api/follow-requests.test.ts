import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { getUserByName } from "../../../src/domain/users/store.ts";
import { suspendUser } from "../../../src/domain/users/suspension.ts";
import { ApiClient } from "../../support/actors/api-client.ts";
import { readByLinks } from "../../support/actors/api-pages.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const list = "/api/v1/follow_requests";

const relation = async (who: ApiClient, id: string) =>
  (await who.get(`/api/v1/accounts/relationships?id[]=${id}`).expect(200)).body[0] as object;

describe("requests to follow in the API", () => {
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
    await lock(true);
  });
  afterAll(() => world.close());

  const lock = async (locked: boolean) =>
    await ann.send("patch", "/api/v1/accounts/update_credentials").send({ locked }).expect(200);
  const ask = async () =>
    (await bob.post(`/api/v1/accounts/${annsId}/follow`).expect(200)).body as object;
  const waiting = async () =>
    ((await ann.get(list).expect(200)).body as { id: string }[]).map(({ id }) => id);

  it("a follow of a locked account is a request, which is listed, counted and notified", async () => {
    expect(await ask()).toMatchObject({ following: false, requested: true });
    expect(await relation(ann, bobsId)).toMatchObject({ followed_by: false, requested_by: true });
    expect(await waiting()).toEqual([bobsId]);
    const { body: own } = await ann.get("/api/v1/accounts/verify_credentials").expect(200);
    expect(own.source.follow_requests_count).toBe(1);
    const { body: notices } = await ann.get("/api/v1/notifications").expect(200);
    expect(notices).toMatchObject([{ type: "follow_request", account: { id: bobsId } }]);
    const { body: groups } = await ann.get("/api/v2/notifications").expect(200);
    expect(groups.notification_groups).toMatchObject([
      { type: "follow_request", sample_account_ids: [bobsId] },
    ]);
    const { body: seen } = await bob.get(`/api/v1/accounts/${annsId}`).expect(200);
    expect(seen).toMatchObject({ locked: true });
    expect(await bob.get(`/api/v1/accounts/${annsId}/statuses`)).toMatchObject({ body: [] });
  });

  it("an accepted request is a follow, and a declined one nothing", async () => {
    await ask();
    const { body: accepted } = await ann.post(`${list}/${bobsId}/authorize`).expect(200);
    expect(accepted).toMatchObject({ id: bobsId, followed_by: true, requested_by: false });
    expect(await relation(bob, annsId)).toMatchObject({ following: true, requested: false });
    await ann.post(`/api/v1/accounts/${bobsId}/remove_from_followers`).expect(200);
    expect(await ask()).toMatchObject({ following: false, requested: true });
    const { body: rejected } = await ann.post(`${list}/${bobsId}/reject`).expect(200);
    expect(rejected).toMatchObject({ id: bobsId, followed_by: false, requested_by: false });
    expect(await waiting()).toEqual([]);
    expect((await ann.get("/api/v1/notifications").expect(200)).body).toEqual([]);
  });

  it("a request of a user who was suspended is listed, with a name only, until it is declined", async () => {
    await ask();
    await suspendUser(world.ctx, await getUserByName(world.ctx, `bob${turn}`));
    const { body } = await ann.get(list).expect(200);
    expect(body).toMatchObject([{ id: bobsId, note: "" }]);
    await ann.post(`${list}/${bobsId}/reject`).expect(200);
    expect(await waiting()).toEqual([]);
  });

  it("a request is withdrawn by unfollowing", async () => {
    await ask();
    const { body } = await bob.post(`/api/v1/accounts/${annsId}/unfollow`).expect(200);
    expect(body).toMatchObject({ following: false, requested: false });
    expect(await waiting()).toEqual([]);
  });

  it("unlocking an account accepts all who ask", async () => {
    await ask();
    await lock(false);
    await expect.poll(() => relation(bob, annsId)).toMatchObject({ following: true });
    expect(await waiting()).toEqual([]);
  });

  it("requests are paged, the newest first", async () => {
    const names = ["one", "two", "three"].map((name) => `${name}${turn}`);
    for (const name of names) {
      await world.newcomer(name);
      world.pass(1);
      await (await ApiClient.of(world, name)).post(`/api/v1/accounts/${annsId}/follow`).expect(200);
    }
    const pages = await readByLinks<{ username: string }>(ann, `${list}?limit=2`);
    expect(pages.flat().map(({ username }) => username)).toEqual(names.toReversed());
  });

  it("requests need the scopes of follows", async () => {
    await ask();
    const reader = await ApiClient.of(world, `ann${turn}`, "read:follows");
    await reader.get(list).expect(200);
    await reader.post(`${list}/${bobsId}/authorize`).expect(403);
    await (await ApiClient.of(world, `ann${turn}`, "read:accounts")).get(list).expect(403);
    await new ApiClient(world).get(list).expect(401);
    await ann.post(`${list}/999999999/authorize`).expect(404);
  });
});
