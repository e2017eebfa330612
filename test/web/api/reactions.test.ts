import type { Response } from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { linksOf } from "../../support/actors/api-pages.ts";
import { ApiClient } from "../../support/actors/api-client.ts";
import { createWorld, type World } from "../../support/world/world.ts";

const verbs = [
  "favourite",
  "unfavourite",
  "reblog",
  "unreblog",
  "bookmark",
  "unbookmark",
  "pin",
  "unpin",
];

async function said(by: ApiClient, status: string): Promise<string> {
  return (await by.post("/api/v1/statuses", { status }).expect(200)).body.id;
}

const act = (by: ApiClient, id: string, verb: string) => by.post(`/api/v1/statuses/${id}/${verb}`);

const namesIn = (people: { acct: string }[]) => people.map(({ acct }) => acct);

describe("reactions in the API", () => {
  let world: World;
  let alice: ApiClient;
  let bob: ApiClient;
  beforeAll(async () => {
    world = await createWorld({ baseUrl: "https://birds.example" });
    for (const name of ["alice", "bob"]) await world.newcomer(name);
    alice = await ApiClient.of(world, "alice");
    bob = await ApiClient.of(world, "bob");
  });
  afterAll(() => world.close());

  it.each([
    ["favourite", "unfavourite", "favourited", "favourites_count"],
    ["bookmark", "unbookmark", "bookmarked", undefined],
  ])("a reaction is in the answer, and can be undone: %s", async (does, undoes, mark, count) => {
    const id = await said(bob, `to be ${mark}`);
    for (let twice = 0; twice < 2; twice += 1) {
      const { body } = await act(alice, id, does).expect(200);
      expect(body).toMatchObject({ id, [mark]: true, ...(count && { [count]: 1 }) });
    }
    expect((await bob.get(`/api/v1/statuses/${id}`).expect(200)).body[mark]).toBe(false);
    const { body } = await act(alice, id, undoes).expect(200);
    expect(body).toMatchObject({ id, [mark]: false, ...(count && { [count]: 0 }) });
  });

  it("a reaction to a retweet answers with the wrapped original", async () => {
    const id = await said(bob, "to be retweeted");
    const { body: wrapper } = await act(alice, id, "reblog").expect(200);
    expect(wrapper.id).not.toBe(id);
    expect(wrapper).toMatchObject({
      account: { acct: "alice" },
      reblogged: true,
      reblog: { id, account: { acct: "bob" }, reblogged: true, reblogs_count: 1, reblog: null },
    });
    expect((await act(alice, id, "reblog").expect(200)).body.id).toBe(wrapper.id);
    expect((await alice.get(`/api/v1/statuses/${wrapper.id}`).expect(200)).body).toEqual(wrapper);
    // What is done to it is done to the original.
    expect((await act(alice, wrapper.id, "favourite").expect(200)).body).toMatchObject({
      id,
      favourited: true,
    });
    const { body } = await act(alice, wrapper.id, "unreblog").expect(200);
    expect(body).toMatchObject({ id, reblogged: false, reblogs_count: 0 });
    await alice.get(`/api/v1/statuses/${wrapper.id}`).expect(404);
  });

  it("what was done to a status can be taken back once it is hidden, without showing it", async () => {
    const hermit = await ApiClient.of(world, (await world.newcomer("hermit")).name);
    const id = await said(hermit, "for everyone, so far");
    const done = ["favourite", "reblog"];
    for (const verb of done) await act(alice, id, verb).expect(200);
    await hermit.send("patch", "/api/v1/accounts/update_credentials").send({ locked: true });
    await world.delivered();
    for (const verb of done) await act(alice, id, `un${verb}`).expect(404);
    await world.delivered();
    const { body } = await hermit.get(`/api/v1/statuses/${id}`).expect(200);
    expect(body).toMatchObject({ favourites_count: 0, reblogs_count: 0 });
  });

  it("users pin their own statuses only", async () => {
    const id = await said(alice, "mine, on top");
    expect((await act(alice, id, "pin").expect(200)).body.pinned).toBe(true);
    expect((await act(alice, id, "unpin").expect(200)).body.pinned).toBe(false);
    await act(bob, id, "pin").expect(403);
  });

  it("a status lists who liked and who retweeted it", async () => {
    const id = await said(bob, "popular");
    await act(alice, id, "favourite").expect(200);
    await act(bob, id, "favourite").expect(200);
    await act(alice, id, "reblog").expect(200);
    const names = async (path: string) => namesIn((await alice.get(path).expect(200)).body);
    expect(await names(`/api/v1/statuses/${id}/favourited_by`)).toEqual(["bob", "alice"]);
    expect(await names(`/api/v1/statuses/${id}/reblogged_by`)).toEqual(["alice"]);
    const first = await alice.get(`/api/v1/statuses/${id}/favourited_by?limit=1`).expect(200);
    const { next = "" } = linksOf(first);
    expect(await names(next)).toEqual(["alice"]);
    const last = await alice.get(next).expect(200);
    expect(await names(linksOf(last).prev ?? "")).toEqual(["bob"]);
  });

  it.each([
    ["favourite", "favourites"],
    ["bookmark", "bookmarks"],
  ])("reactions are listed in the order in which they were made: %s", async (verb, list) => {
    const carol = await world
      .newcomer(`carol${list.slice(0, 3)}`)
      .then(({ name }) => ApiClient.of(world, name));
    const ids: string[] = [];
    for (let nth = 0; nth < 5; nth += 1) ids.push(await said(bob, `number ${nth}`));
    const order = [3, 0, 4, 1, 2].map((nth) => ids[nth] ?? "");
    for (const id of order) await act(carol, id, verb).expect(200);
    const read: string[] = [];
    for (let path: string | undefined = `/api/v1/${list}?limit=2`; path !== undefined;) {
      const answer: Response = await carol.get(path).expect(200);
      read.push(...(answer.body as { id: string }[]).map(({ id }) => id));
      path = linksOf(answer).next;
    }
    expect(read).toEqual(order.toReversed());
    const up = await carol.get(`/api/v1/${list}?limit=2&min_id=0`).expect(200);
    expect((up.body as { id: string }[]).map(({ id }) => id)).toEqual([order[1], order[0]]);
    await bob.delete(`/api/v1/statuses/${order[2]}`).expect(200);
    const { body } = await carol.get(`/api/v1/${list}`).expect(200);
    expect(body).toHaveLength(4);
    expect((await alice.get(`/api/v1/${list}`).expect(200)).body).not.toContainEqual(body[0]);
  });

  it.each(verbs)("a reaction requires a status, a user and the scope: %s", async (verb) => {
    const id = await said(alice, "here");
    for (const wrong of ["1", "x", `${id}1`, id.replace(/^3/, "4")])
      await act(alice, wrong, verb).expect(404);
    await act(new ApiClient(world), id, verb).expect(401);
    await act(await ApiClient.of(world, "alice", "read write:notifications"), id, verb).expect(403);
  });

  it.each(["favourites", "bookmarks"])("a list of reactions is private: %s", async (list) => {
    await new ApiClient(world).get(`/api/v1/${list}`).expect(401);
    const other = await ApiClient.of(world, "alice", "read:statuses write");
    await other.get(`/api/v1/${list}`).expect(403);
  });

  it("a reaction across a block is refused", async () => {
    const id = await said(alice, "before the block");
    const page = world.visitor();
    await page.logIn("alice");
    await page.post("/@bob/block").expect(303);
    for (const verb of ["favourite", "reblog", "bookmark"]) await act(bob, id, verb).expect(404);
    await page.post("/@bob/unblock").expect(303);
  });
});
