import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { linksOf } from "../../support/actors/api-pages.ts";
import { ApiClient } from "../../support/actors/api-client.ts";
import { createWorld, type World } from "../../support/world/world.ts";

async function post(by: ApiClient, status: string, to?: string): Promise<string> {
  const fields = { status, in_reply_to_id: to };
  return (await by.post("/api/v1/statuses", fields).expect(200)).body.id as string;
}

describe("statuses of an account in the API", () => {
  let world: World;
  let alice: ApiClient;
  let bob: ApiClient;
  let carol: ApiClient;
  let pinned: string;
  beforeAll(async () => {
    world = await createWorld({ baseUrl: "https://birds.example" });
    for (const name of ["alice", "bob", "carol"]) await world.newcomer(name);
    alice = await ApiClient.of(world, "alice");
    bob = await ApiClient.of(world, "bob");
    carol = await ApiClient.of(world, "carol");
    const theirs = await post(bob, "theirs #birds");
    pinned = await post(alice, "first #birds");
    await post(alice, "reply to bob #birds", theirs);
    await post(alice, "reply to myself", pinned);
    await alice.post(`/api/v1/statuses/${theirs}/reblog`).expect(200);
    await post(alice, "last");
    await alice.post(`/api/v1/statuses/${pinned}/pin`).expect(200);
    await world.delivered();
  });
  afterAll(() => world.close());

  async function read(query: string, by = carol): Promise<string[]> {
    const { body } = await by.get(`/api/v1/accounts/1/statuses${query}`).expect(200);
    return (body as { content: string; reblog: unknown }[]).map(
      ({ content, reblog }) => (reblog ? "RT " : "") + content.replaceAll(/<[^>]*>/g, ""),
    );
  }

  it.each([
    ["", ["last", "RT theirs #birds", "reply to myself", "reply to bob #birds", "first #birds"]],
    ["?exclude_replies=true", ["last", "RT theirs #birds", "reply to myself", "first #birds"]],
    ["?exclude_reblogs=1", ["last", "reply to myself", "reply to bob #birds", "first #birds"]],
    ["?exclude_replies=1&exclude_reblogs=1", ["last", "reply to myself", "first #birds"]],
    ["?exclude_reblogs=1&limit=2", ["last", "reply to myself"]],
    ["?pinned=true", ["first #birds"]],
    ["?tagged=Birds", ["reply to bob #birds", "first #birds"]],
    ["?tagged=birds&exclude_replies=true", ["first #birds"]],
    ["?tagged=birds&only_media=true", []],
    ["?tagged=%20", []],
    ["?only_media=true", []],
    ["?limit=2", ["last", "RT theirs #birds"]],
    ["?limit=2&min_id=0", ["reply to bob #birds", "first #birds"]],
  ])("a user's statuses are filtered by %s", async (query, expected) => {
    expect(await read(query)).toEqual(expected);
    expect(await read(query, new ApiClient(world))).toEqual(expected);
  });

  it("a user's statuses are read to the end by links; pinned ones have none", async () => {
    const texts: string[] = [];
    for (let query: string | undefined = "?limit=2&exclude_replies=true"; query !== undefined;) {
      texts.push(...(await read(query)));
      const answer = await carol.get(`/api/v1/accounts/1/statuses${query}`);
      query = linksOf(answer).next?.replace(/^[^?]*/, "");
    }
    expect(texts).toEqual(["last", "RT theirs #birds", "reply to myself", "first #birds"]);
    const answer = await carol.get("/api/v1/accounts/1/statuses?pinned=true");
    expect((await carol.get(linksOf(answer).next ?? "").expect(200)).body).toEqual([]);
  });

  it("a user's statuses are hidden across a block, and an unknown user has none", async () => {
    const page = world.visitor();
    await page.logIn("alice");
    await page.post("/@carol/block").expect(303);
    expect(await read("")).toEqual([]);
    expect(await read("?pinned=true")).toEqual([]);
    await page.post("/@carol/unblock").expect(303);
    for (const id of ["99", "alice", "0", "1.5", "%00"])
      await carol.get(`/api/v1/accounts/${id}/statuses`).expect(404);
    for (const query of ["?pinned=perhaps", "?limit=none", "?tagged[a]=b"])
      await carol.get(`/api/v1/accounts/1/statuses${query}`).expect(422);
    const writer = await ApiClient.of(world, "carol", "write");
    await writer.get("/api/v1/accounts/1/statuses").expect(403);
  });
});
