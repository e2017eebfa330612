import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clearNotifications } from "../../../src/domain/notifications/store.ts";
import { getUserByName } from "../../../src/domain/users/store.ts";
import { ApiClient } from "../../support/actors/api-client.ts";
import { readByLinks } from "../../support/actors/api-pages.ts";
import { createWorld, type World } from "../../support/world/world.ts";

interface Told {
  id: string;
  type: string;
  account: { acct: string };
  status?: { id: string; content: string };
}

const path = "/api/v1/notifications";
const kinds = (body: unknown) =>
  (body as Told[]).map(({ type, account }) => `${type} by ${account.acct}`);

describe("notifications in the API", () => {
  let world: World;
  let ann: ApiClient;
  let bob: ApiClient;
  let cat: ApiClient;
  let status = "";
  let annsId = "";
  beforeAll(async () => {
    world = await createWorld({ baseUrl: "https://site.example" });
    for (const name of ["ann", "bob", "cat"]) await world.newcomer(name);
    ann = await ApiClient.of(world, "ann");
    bob = await ApiClient.of(world, "bob");
    cat = await ApiClient.of(world, "cat");
    annsId = (await getUserByName(world.ctx, "ann")).id;
    status = (await post(ann, { status: "hello" })).id;
    for (const one of [bob, cat]) {
      await one.post(`/api/v1/accounts/${annsId}/follow`).expect(200);
      await one.post(`/api/v1/statuses/${status}/favourite`).expect(200);
    }
    await bob.post(`/api/v1/statuses/${status}/reblog`).expect(200);
    await post(cat, { status: "hi @ann", in_reply_to_id: status });
    await post(bob, { status: "I know @ann" });
    await world.delivered();
  });
  afterAll(() => world.close());

  async function post(who: ApiClient, fields: object): Promise<{ id: string }> {
    const { body } = await who.post("/api/v1/statuses", fields).expect(200);
    await world.delivered();
    return body as { id: string };
  }

  const all = [
    "mention by bob",
    "mention by cat",
    "reblog by bob",
    "favourite by cat",
    "follow by cat",
    "favourite by bob",
    "follow by bob",
  ];

  it("API notifications are single, newest first, a mentioning reply once", async () => {
    const { body } = await ann.get(path).expect(200);
    expect(kinds(body)).toEqual(all);
    const [mention, reply, reblog, favourite, follow] = body as Told[];
    expect(mention?.status?.content).toContain("I know");
    expect(reply?.status).toMatchObject({ in_reply_to_id: status });
    expect(reblog?.status).toMatchObject({ id: status, reblogs_count: 1, favourites_count: 2 });
    expect(favourite?.status).toMatchObject({ id: status, reblog: null });
    expect(follow).not.toHaveProperty("status");
    expect(follow).toMatchObject({
      id: expect.stringMatching(/^\d+$/),
      created_at: expect.any(String),
    });
  });

  it("API notifications are read to the end by links, in both directions", async () => {
    for (const limit of [1, 2, 3, 80]) {
      const pages = await readByLinks<Told>(ann, `${path}?limit=${limit}`);
      expect(kinds(pages.flat())).toEqual(all);
      expect(Math.max(...pages.map((page) => page.length))).toBe(Math.min(limit, 7));
      const up = await readByLinks<Told>(ann, `${path}?limit=${limit}&min_id=0`, "prev");
      expect(kinds(up.toReversed().flat())).toEqual(all);
    }
    const ids = ((await ann.get(path)).body as Told[]).map(({ id }) => BigInt(id));
    expect(ids).toEqual(ids.toSorted((one, other) => (one < other ? 1 : -1)));
  });

  it("API notifications are filtered by type and by account", async () => {
    const chosen = async (query: string) =>
      kinds((await ann.get(`${path}?${query}`).expect(200)).body);
    expect(await chosen("types[]=follow&types[]=reblog")).toEqual([
      "reblog by bob",
      "follow by cat",
      "follow by bob",
    ]);
    expect(await chosen("exclude_types[]=mention&exclude_types[]=favourite&limit=2")).toEqual([
      "reblog by bob",
      "follow by cat",
    ]);
    expect(await chosen("types[]=poll")).toEqual([]);
    const { id } = await getUserByName(world.ctx, "cat");
    expect(await chosen(`account_id=${id}`)).toEqual(all.filter((one) => one.endsWith("cat")));
    expect(await chosen("account_id=nobody")).toEqual([]);
    expect(await chosen("account_id=")).toEqual(all);
    const pages = await readByLinks<Told>(ann, `${path}?limit=1&types[]=follow`);
    expect(pages.map(kinds)).toEqual([["follow by cat"], ["follow by bob"]]);
  });

  it.each([
    "limit=x",
    "limit=0",
    "max_id=x",
    "min_id=1.5",
    "types[a]=b",
    "account_id=1&account_id=2",
  ])("API notifications are refused for %s", async (query) => {
    await ann.get(`${path}?${query}`).expect(422);
  });

  it("API notifications require the user and the scope", async () => {
    const doors = [path, `${path}/1`, `${path}/unread_count`, "/api/v2/notifications/unread_count"];
    for (const door of doors) {
      await new ApiClient(world).get(door).expect(401);
      await (await ApiClient.of(world, "ann", "read:statuses write")).get(door).expect(403);
    }
    for (const door of [`${path}/clear`, `${path}/1/dismiss`]) {
      await new ApiClient(world).post(door).expect(401);
      await (await ApiClient.of(world, "ann", "read")).post(door).expect(403);
    }
    expect((await (await ApiClient.of(world, "ann", "read:notifications")).get(path)).status).toBe(
      200,
    );
  });

  it("API notifications are read by id, by their user only", async () => {
    for (const one of (await ann.get(path)).body as Told[]) {
      expect((await ann.get(`${path}/${one.id}`).expect(200)).body).toEqual(one);
      await bob.get(`${path}/${one.id}`).expect(404);
    }
    for (const id of ["1", "0", "x", "9".repeat(60), "%00"]) {
      await ann.get(`${path}/${id}`).expect(404);
      await ann.post(`${path}/${id}/dismiss`).expect(404);
    }
  });

  it("API notifications leave out muted users", async () => {
    const { id } = await getUserByName(world.ctx, "cat");
    await ann.post(`/api/v1/accounts/${id}/mute`).expect(200);
    const { body } = await ann.get(path).expect(200);
    expect(kinds(body)).toEqual(all.filter((one) => one.endsWith("bob")));
    await ann.post(`/api/v1/accounts/${id}/unmute`).expect(200);
  });

  it("API notifications are unread until a marker is set, on the page too", async () => {
    const count = async (version = "v1", query = "") =>
      (await ann.get(`/api/${version}/notifications/unread_count${query}`).expect(200)).body.count;
    await ann.get(path).expect(200);
    expect([await count(), await count("v1", "?limit=3")]).toEqual([7, 3]);
    // Likes of one tweet are one group, and so are the follows of a day.
    expect([await count("v2"), await count("v2", "?limit=3")]).toEqual([5, 3]);
    const unread = (await ann.get("/api/v1/markers?timeline[]=notifications")).body;
    expect(unread.notifications).toMatchObject({ last_read_id: "0" });

    const list = (await ann.get(path)).body as Told[];
    const third = list[2]?.id ?? "";
    const body = { notifications: { last_read_id: third } };
    const { body: set } = await ann.post("/api/v1/markers", body).expect(200);
    expect(await count()).toBe(2);
    const { body: got } = await ann.get(
      "/api/v1/markers?timeline[]=other&timeline[]=notifications",
    );
    expect(got).toEqual(set);
    const { last_read_id: marked, updated_at: at } = set.notifications;
    expect(marked).toBe(third);
    expect(Number.isNaN(Date.parse(at as string))).toBe(false);

    const older = new URLSearchParams({ "notifications[last_read_id]": list[5]?.id ?? "" });
    await ann.send("post", "/api/v1/markers").type("form").send(older.toString()).expect(200);
    expect(await count()).toBe(2);
    expect((await ann.post("/api/v1/markers", { home: {} })).body).toEqual({});
  });

  it("a marker takes a number, which a library makes of an id", async () => {
    const [newest] = (await ann.get(path)).body as Told[];
    const body = { notifications: { last_read_id: Number(newest?.id) } };
    const { body: set } = await ann.post("/api/v1/markers", body).expect(200);
    const marked = Number(set.notifications.last_read_id);
    // Numbers are so exact: about a microsecond.
    expect(Math.abs(marked - Number(newest?.id))).toBeLessThan(3000);
  });

  it("a marker cannot be set beyond the newest notification", async () => {
    const far = { notifications: { last_read_id: "9".repeat(30) } };
    await cat.post("/api/v1/markers", far).expect(200);
    const { notificationsRead } = await getUserByName(world.ctx, "cat");
    expect(notificationsRead).toBeLessThan((world.ctx.now() + 1) * 1000);
  });

  it("invalid markers and markers without the scope are refused", async () => {
    for (const wrong of ["x", "-1", "1.5", ""])
      await cat.post("/api/v1/markers", { notifications: { last_read_id: wrong } }).expect(422);
    await cat.post("/api/v1/markers", { notifications: "x" }).expect(422);
    const reader = await ApiClient.of(world, "ann", "read");
    await reader.post("/api/v1/markers", {}).expect(403);
    await new ApiClient(world).get("/api/v1/markers").expect(401);
    await (await ApiClient.of(world, "ann", "write")).get("/api/v1/markers").expect(403);
  });

  it("dismissed and cleared API notifications are gone", async () => {
    const [first, ...rest] = (await ann.get(path)).body as Told[];
    expect((await ann.post(`${path}/${first?.id}/dismiss`).expect(200)).body).toEqual({});
    expect((await ann.get(path)).body).toEqual(rest);
    await ann.post(`${path}/${first?.id}/dismiss`).expect(404);
    expect((await ann.post(`${path}/clear`).expect(200)).body).toEqual({});
    const empty = await ann.get(path).expect(200);
    expect(empty.body).toEqual([]);
    expect(empty.headers["link"]).toBeUndefined();
    await ann.post(`${path}/clear`).expect(200);
    await clearNotifications(world.ctx, (await getUserByName(world.ctx, "ann")).id);
  });
});
