import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getUserByName } from "../../../src/domain/users/store.ts";
import { ApiClient } from "../../support/actors/api-client.ts";
import { createWorld, type World } from "../../support/world/world.ts";

interface Results {
  accounts: { acct: string }[];
  statuses: { id: string; content: string }[];
  hashtags: { name: string }[];
}

const site = "https://site.example";

describe("searching through the API", () => {
  let world: World;
  let ann: ApiClient;
  const ids = new Map<string, string>();
  const tweets: string[] = [];
  const anybody = () => new ApiClient(world);
  beforeAll(async () => {
    world = await createWorld({ baseUrl: site });
    for (const name of ["ann", "sparrow", "sparrowfan"]) {
      await world.newcomer(name);
      ids.set(name, (await getUserByName(world.ctx, name)).id);
    }
    ann = await ApiClient.of(world, "ann");
    const fan = await ApiClient.of(world, "sparrowfan");
    for (const [who, status] of [
      [ann, "a sparrow at last"],
      [ann, "#Sparrow again"],
      [fan, "one more sparrow #sparrowbread"],
      [ann, "nothing of the kind"],
    ] as const)
      tweets.push((await who.post("/api/v1/statuses", { status }).expect(200)).body.id as string);
    await world.delivered();
  });
  afterAll(() => world.close());

  async function search(query: Record<string, string>, who = ann) {
    const path = `/api/v2/search?${String(new URLSearchParams(query))}`;
    const body = (await who.get(path).expect(200)).body as Results;
    return {
      accounts: body.accounts.map(({ acct }) => acct),
      statuses: body.statuses.map(({ id }) => id),
      hashtags: body.hashtags.map(({ name }) => name),
    };
  }
  const [first, second, third] = [0, 1, 2].map((nth) => () => tweets[nth] ?? "") as [
    () => string,
    () => string,
    () => string,
  ];

  it("API search finds accounts, statuses and hashtags, without a token", async () => {
    for (const who of [ann, anybody()])
      expect(await search({ q: "sparrow" }, who)).toEqual({
        accounts: ["sparrow", "sparrowfan"],
        statuses: [third(), second(), first()],
        hashtags: ["sparrow", "sparrowbread"],
      });
    expect(await search({ q: "#sparrow" })).toEqual({
      accounts: [],
      statuses: [second()],
      hashtags: ["sparrow", "sparrowbread"],
    });
    const nothing = { accounts: [], statuses: [], hashtags: [] };
    for (const q of ["", "  ", "!?", "nobodysaysthis"])
      expect(await search({ q })).toEqual(nothing);
  });

  it("API search can be limited to one type, in parts", async () => {
    expect(await search({ q: "sparrow", type: "accounts", limit: "1" })).toEqual({
      accounts: ["sparrow"],
      statuses: [],
      hashtags: [],
    });
    const next = await search({ q: "sparrow", type: "accounts", limit: "1", offset: "1" });
    expect(next.accounts).toEqual(["sparrowfan"]);
    const some = await search({ q: "sparrow", type: "statuses", limit: "2", offset: "1" });
    expect(some.statuses).toEqual([second(), first()]);
    const older = await search({ q: "sparrow", type: "statuses", max_id: second() });
    expect(older.statuses).toEqual([first()]);
    const newer = await search({ q: "sparrow", type: "statuses", min_id: first(), limit: "1" });
    expect(newer.statuses).toEqual([second()]);
    expect((await search({ q: "sparrow", type: "hashtags" })).statuses).toEqual([]);
    expect((await search({ q: "sparrow", offset: "99999" })).statuses).toEqual([]);
  });

  it("API search can be limited to an account, and to followings", async () => {
    const account = ids.get("ann") ?? "";
    const own = await search({ q: "sparrow", type: "statuses", account_id: account });
    expect(own.statuses).toEqual([second(), first()]);
    for (const nobody of ["999999", "x"])
      expect((await search({ q: "sparrow", account_id: nobody })).statuses).toEqual([]);
    expect((await search({ q: "sparrow", following: "true" })).accounts).toEqual([]);
    await ann.post(`/api/v1/accounts/${ids.get("sparrow")}/follow`).expect(200);
    expect((await search({ q: "sparrow", following: "true" })).accounts).toEqual(["sparrow"]);
  });

  it("API search resolves exactly the URLs of this site", async () => {
    const profile = { accounts: ["sparrow"], statuses: [], hashtags: [] };
    expect(await search({ q: `${site}/@sparrow`, resolve: "true" })).toEqual(profile);
    expect(await search({ q: "@sparrow@site.example", type: "accounts", limit: "1" })).toEqual(
      profile,
    );
    const { body } = await ann.get(`/api/v1/statuses/${first()}`).expect(200);
    const status = { accounts: [], statuses: [first()], hashtags: [] };
    expect(await search({ q: ` ${body.url as string} ` })).toEqual(status);
    const nothing = { accounts: [], statuses: [], hashtags: [] };
    expect(await search({ q: body.url as string, type: "accounts" })).toEqual(nothing);
    for (const path of ["/tweets/999999", "/tweets/x", "/@nobody", "/about", "/@sparrow/likes"])
      expect(await search({ q: `${site}${path}` })).toEqual(nothing);
    for (const q of [
      "https://elsewhere.example/@sparrow",
      "@sparrow@elsewhere.example",
      "https://",
    ])
      expect((await search({ q })).accounts).toEqual([]);
  });

  it("API search leaves out hidden accounts and their statuses", async () => {
    const { acct } = (await ann.get(`/api/v1/accounts/${ids.get("sparrowfan")}`)).body as {
      acct: string;
    };
    await ann.post(`/api/v1/accounts/${ids.get("sparrowfan")}/block`).expect(200);
    const found = await search({ q: "sparrow" });
    expect(found.accounts).not.toContain(acct);
    expect(found.statuses).not.toContain(third());
    expect((await search({ q: `${site}/@sparrowfan` })).accounts).toEqual([]);
    const other = await search({ q: "sparrow" }, anybody());
    expect(other.accounts).toContain(acct);
    await ann.post(`/api/v1/accounts/${ids.get("sparrowfan")}/unblock`).expect(200);
  });

  it("API search refuses what it cannot parse", async () => {
    for (const query of [
      "",
      "q=a&type=people",
      "q=a&limit=x",
      "q=a&offset=-1",
      "q=a&max_id=x",
      "q=a&q=b",
    ])
      await ann.get(`/api/v2/search?${query}`).expect(422);
    await anybody().get("/api/v2/search?q=a&offset=1").expect(401);
    await (await ApiClient.of(world, "ann", "write")).get("/api/v2/search?q=a").expect(403);
    await (await ApiClient.of(world, "ann", "read:search")).get("/api/v2/search?q=a").expect(200);
  });

  it("API search lists trending hashtags", async () => {
    for (const path of ["/api/v1/trends", "/api/v1/trends/tags"]) {
      const { body } = await anybody().get(path).expect(200);
      expect(body).toMatchObject([
        { name: "sparrowbread", url: `${site}/tags/sparrowbread`, following: false },
        { name: "sparrow", history: [{ accounts: "1", uses: "1" }] },
      ]);
      expect((await anybody().get(`${path}?limit=1&offset=1`)).body).toHaveLength(1);
      await anybody().get(`${path}?limit=x`).expect(422);
    }
    const { body } = await anybody().get("/api/v1/tags/Sparrow").expect(200);
    expect(body).toEqual({
      id: "sparrow",
      name: "sparrow",
      url: `${site}/tags/sparrow`,
      history: [],
      following: false,
      featuring: false,
    });
    await anybody().get("/api/v1/tags/%20").expect(404);
  });
});
