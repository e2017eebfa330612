import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiClient } from "../../support/actors/api-client.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("suggestions in the API", () => {
  let world: World;
  let ann: ApiClient;
  beforeAll(async () => {
    world = await createWorld();
    const visitors = new Map();
    for (const name of ["ann", "bob", "cat", "dan"]) visitors.set(name, await world.newcomer(name));
    for (const [one, other] of [
      ["ann", "bob"],
      ["ann", "cat"],
      ["bob", "dan"],
      ["cat", "dan"],
    ])
      await visitors.get(one).follow(other);
    ann = await ApiClient.of(world, "ann");
  });
  afterAll(() => world.close());

  it("API suggestions are followed by the user's followings", async () => {
    expect((await ann.get("/api/v1/suggestions").expect(200)).body).toMatchObject([
      { acct: "dan" },
    ]);
    expect((await ann.get("/api/v2/suggestions").expect(200)).body).toMatchObject([
      { sources: ["friends_of_friends"], account: { acct: "dan" } },
    ]);
  });

  it.each(["/api/v1/suggestions", "/api/v2/suggestions"])(
    "API suggestions are private: %s",
    async (path) => {
      await new ApiClient(world).get(path).expect(401);
      await (await ApiClient.of(world, "ann", "write")).get(path).expect(403);
      await ann.get(`${path}?limit=x`).expect(422);
      const dan = await ApiClient.of(world, "dan");
      expect((await dan.get(path).expect(200)).body).toEqual([]);
    },
  );
});
