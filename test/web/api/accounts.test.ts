import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { suspendUser } from "../../../src/domain/users/suspension.ts";
import { getUserByName } from "../../../src/domain/users/store.ts";
import { ApiClient } from "../../support/actors/api-client.ts";
import { linksOf, readByLinks } from "../../support/actors/api-pages.ts";
import type { Visitor } from "../../support/actors/visitor.ts";
import { createWorld, type World } from "../../support/world/world.ts";

interface Account {
  id: string;
  acct: string;
  note: string;
}

const names = (body: unknown) => (body as Account[]).map(({ acct }) => acct);

describe("accounts in the API", () => {
  let world: World;
  let ann: ApiClient;
  let bob: Visitor | undefined;
  const ids = new Map<string, string>();
  const anybody = () => new ApiClient(world);
  const idOf = (name: string) => ids.get(name) ?? "";
  beforeAll(async () => {
    world = await createWorld({ baseUrl: "https://site.example" });
    for (const name of ["ann", "bob", "bobby", "cat", "gone"]) {
      const visitor = await world.newcomer(name);
      ids.set(name, (await getUserByName(world.ctx, name)).id);
      if (name !== "ann") await visitor.follow("ann");
      if (name === "bob") {
        await visitor.post("/settings/profile", { fullname: "Bob", bio: "I sing", website: "" });
        bob = visitor;
      }
    }
    await suspendUser(world.ctx, await getUserByName(world.ctx, "gone"));
    await bob?.post("/@cat/block").expect(303);
    ann = await ApiClient.of(world, "ann");
  });
  afterAll(() => world.close());

  it("accounts are read by id without a token", async () => {
    const { body } = await anybody()
      .get(`/api/v1/accounts/${idOf("bob")}`)
      .expect(200);
    expect(body).toMatchObject({ id: idOf("bob"), acct: "bob", note: "<p>I sing</p>" });
  });

  it.each(["0", "999999", "1e3", "-1", "bob", "%00"])(
    "an account with the id %s does not exist",
    async (id) => {
      const { body } = await anybody().get(`/api/v1/accounts/${id}`).expect(404);
      expect(body).toEqual({ error: "Record not found" });
      await anybody().get(`/api/v1/accounts/${id}/followers`).expect(404);
    },
  );

  it("a suspended account is not found", async () => {
    await anybody()
      .get(`/api/v1/accounts/${idOf("gone")}`)
      .expect(404);
    await anybody().get("/api/v1/accounts/lookup?acct=gone").expect(404);
    const { body } = await ann.get(`/api/v1/accounts?id[]=${idOf("gone")}&id[]=${idOf("bob")}`);
    expect(names(body)).toEqual(["bob"]);
  });

  it("reading an account takes a token with the right scope, or none", async () => {
    const writer = await ApiClient.of(world, "ann", "write");
    const { body } = await writer.get(`/api/v1/accounts/${idOf("bob")}`).expect(403);
    expect(body).toEqual({ error: "This action is outside the authorized scopes" });
    await new ApiClient(world, "nonsense").get(`/api/v1/accounts/${idOf("bob")}`).expect(401);
    await anybody().get("/api/v1/accounts/search?q=bob").expect(401);
    await writer.get("/api/v1/accounts/search?q=bob").expect(403);
  });

  it("names in a bio are links, in the account and beside its statuses", async () => {
    await ann.send("patch", "/api/v1/accounts/update_credentials").send({ note: "With @Bob" });
    const link =
      /With <span class="h-card"><a href="[^"]*\/@bob" class="u-url mention">@<span>Bob</;
    const { body } = await ann.get("/api/v1/accounts/verify_credentials").expect(200);
    expect(body.note).toMatch(link);
    const { body: status } = await ann.post("/api/v1/statuses", { status: "Hello" }).expect(200);
    expect(status.account.note).toMatch(link);
    const { body: found } = await ann.get(`/api/v1/accounts?id[]=${body.id}`).expect(200);
    expect(found[0].note).toMatch(link);
    await ann.send("patch", "/api/v1/accounts/update_credentials").send({ note: "@nobody here" });
    const { body: other } = await ann.get(`/api/v1/accounts/${body.id}`).expect(200);
    expect(other.note).toBe("<p>@nobody here</p>");
  });

  it("an account hides its details across a block", async () => {
    const cat = await ApiClient.of(world, "cat");
    const { body } = await cat.get(`/api/v1/accounts/${idOf("bob")}`).expect(200);
    expect(body).toMatchObject({ acct: "bob", note: "" });
    await cat.get(`/api/v1/accounts/${idOf("bob")}/following`).expect(403);
    const { body: some } = await cat.get(`/api/v1/accounts?id=${idOf("bob")}`).expect(200);
    expect(some).toEqual([]);
  });

  it.each(["bob", "@bob", "BOB", "bob@site.example", "@Bob@SITE.example"])(
    "an account is looked up as %s",
    async (acct) => {
      const path = `/api/v1/accounts/lookup?acct=${encodeURIComponent(acct)}`;
      expect((await anybody().get(path).expect(200)).body).toMatchObject({ acct: "bob" });
    },
  );

  it("an account is not looked up on other servers, nor without a name", async () => {
    await anybody().get("/api/v1/accounts/lookup?acct=bob@elsewhere.example").expect(404);
    await anybody().get("/api/v1/accounts/lookup?acct=nobody").expect(404);
    const { body } = await anybody().get("/api/v1/accounts/lookup").expect(422);
    expect(body).toMatchObject({ error: "Validation failed: acct is missing." });
  });

  it("an account search finds the beginning of a name, an exact name first", async () => {
    const search = async (query: string) =>
      names((await ann.get(`/api/v1/accounts/search?${query}`).expect(200)).body);
    expect(await search("q=bob")).toEqual(["bob", "bobby"]);
    expect(await search("q=@bobby")).toEqual(["bobby"]);
    expect(await search("q=bob&limit=1")).toEqual(["bob"]);
    expect(await search("q=bob&limit=1&offset=1")).toEqual(["bobby"]);
    expect(await search("q=bob&following=true")).toEqual([]);
    expect(await search("q=gone")).toEqual([]);
    expect(await search("q=")).toEqual([]);
    await ann.post(`/api/v1/accounts/${idOf("bobby")}/follow`).expect(200);
    expect(await search("q=bob&following=1")).toEqual(["bobby"]);
    await ann.post(`/api/v1/accounts/${idOf("bobby")}/unfollow`).expect(200);
  });

  it.each(["q=a&limit=x", "q=a&limit=0", "q=a&offset=-1", "q=a&following=perhaps", "", "q=a&q=b"])(
    "an account search does not accept %s",
    async (query) => {
      await ann.get(`/api/v1/accounts/search?${query}`).expect(422);
    },
  );

  it("followers are paged in both directions", async () => {
    const path = `/api/v1/accounts/${idOf("ann")}/followers?limit=2`;
    const pages = await readByLinks<Account>(anybody(), path);
    expect(pages.map(names)).toEqual([["cat", "bobby"], ["bob"]]);
    const upwards = await readByLinks<Account>(anybody(), `${path}&min_id=0`, "prev");
    expect(upwards.map(names)).toEqual([["bobby", "bob"], ["cat"]]);
    const newest = linksOf(await anybody().get(path).expect(200)).prev ?? "";
    const newer = newest.replace("min_id", "since_id");
    expect((await anybody().get(newer).expect(200)).body).toEqual([]);
  });

  it("lists of followings are empty without links", async () => {
    const some = await anybody()
      .get(`/api/v1/accounts/${idOf("bob")}/following`)
      .expect(200);
    expect(names(some.body)).toEqual(["ann"]);
    const none = await anybody()
      .get(`/api/v1/accounts/${idOf("ann")}/following`)
      .expect(200);
    expect(none.body).toEqual([]);
    expect(none.headers["link"]).toBeUndefined();
    await anybody()
      .get(`/api/v1/accounts/${idOf("ann")}/followers?max_id=x`)
      .expect(422);
    await anybody()
      .get(`/api/v1/accounts/${idOf("ann")}/followers?limit=-1`)
      .expect(422);
  });

  it("the directory lists the newest accounts first", async () => {
    const { body } = await anybody().get("/api/v1/directory?limit=3").expect(200);
    expect(names(body)).toEqual(["cat", "bobby", "bob"]);
    const next = await anybody().get("/api/v1/directory?limit=2&offset=3").expect(200);
    expect(names(next.body)).toEqual(["ann"]);
    await anybody().get("/api/v1/directory?limit=0").expect(422);
  });

  it("a blocked account is found by its exact name by the user who blocked it", async () => {
    const search = async (person: ApiClient, q: string) =>
      names((await person.get(`/api/v1/accounts/search?q=${q}`).expect(200)).body);
    const bobby = await ApiClient.of(world, "bobby");
    await ann.post(`/api/v1/accounts/${idOf("bobby")}/block`).expect(200);
    expect(await search(ann, "bobby")).toEqual(["bobby"]);
    expect(await search(ann, "bob")).toEqual(["bob"]);
    const { body } = await ann.get("/api/v2/search?type=accounts&resolve=true&q=bobby").expect(200);
    expect(names((body as { accounts: object[] }).accounts)).toEqual(["bobby"]);
    expect(await search(bobby, "ann")).toEqual([]);
    await bobby.post(`/api/v1/accounts/${idOf("ann")}/block`).expect(200);
    expect(await search(ann, "bobby")).toEqual([]);
    await bobby.post(`/api/v1/accounts/${idOf("ann")}/unblock`).expect(200);
    await ann.post(`/api/v1/accounts/${idOf("bobby")}/unblock`).expect(200);
    await ann.post(`/api/v1/accounts/${idOf("bob")}/block`).expect(200);
    expect(await search(ann, "bob&limit=1")).toEqual(["bob"]);
    expect(await search(ann, "bob&limit=1&offset=1")).toEqual(["bobby"]);
    await ann.post(`/api/v1/accounts/${idOf("bob")}/unblock`).expect(200);
  });
});
