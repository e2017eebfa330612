import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { UserId } from "../../src/domain/ids.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import { keys } from "../../src/redis/keys.ts";
import { ApiClient } from "../support/actors/api-client.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { hiddenFields, tweetsOn } from "../support/inspect/page.ts";
import { closeChecked } from "../support/world/doctor.ts";
import { createWorld, type World } from "../support/world/world.ts";

describe("the marker of home", () => {
  let world: World;
  let reader: Visitor;
  let friend: Visitor;
  let app: ApiClient;
  let readerId: UserId;
  beforeAll(async () => {
    world = await createWorld();
    reader = await world.newcomer("reader");
    friend = await world.newcomer("friend");
    await reader.follow("friend");
    app = await ApiClient.of(world, "reader");
    readerId = (await getUserByName(world.ctx, "reader")).id;
  });
  afterAll(async () => {
    // The client's app is not registered.
    await world.ctx.redis.del(keys.tokens(readerId));
    await closeChecked(world);
  });

  const markers = async () => (await app.get("/api/v1/markers?timeline[]=home").expect(200)).body;
  const post = async (...texts: string[]) => {
    for (const text of texts) await friend.tweet(text);
    await world.delivered();
  };

  it("home offers to mark as read what others wrote, and not what its reader wrote", async () => {
    const newcomer = await world.newcomer("newcomer");
    await newcomer.tweet("My first");
    await world.delivered();
    expect((await newcomer.get("/").expect(200)).text).not.toContain("Mark these tweets as read");
    await newcomer.follow("friend");
    await post("zero");
    const { text } = await newcomer.get("/").expect(200);
    expect(text).toContain("Mark these tweets as read");
    await newcomer.post("/home/read", hiddenFields(text, "/home/read")).expect(303);
    expect((await newcomer.get("/").expect(200)).text).not.toContain("Mark these tweets as read");
  });

  it("an app keeps the place, which never goes back", async () => {
    expect(await markers()).toMatchObject({ home: { last_read_id: "0" } });
    await post("one", "two", "three");
    const { body } = await app.get("/api/v1/timelines/home").expect(200);
    const [newest, middle, oldest] = (body as { id: string }[]).map(({ id }) => id);
    const set = async (last: unknown) =>
      await app.post("/api/v1/markers", { home: { last_read_id: last } });
    expect((await set(middle)).body).toMatchObject({ home: { last_read_id: middle } });
    expect((await set(oldest)).body).toMatchObject({ home: { last_read_id: middle } });
    expect(await markers()).toMatchObject({ home: { last_read_id: middle, version: 1 } });
    expect((await set("x")).status).toBe(422);
    expect((await set("9".repeat(30))).body).toMatchObject({ home: { last_read_id: newest } });
    const { homeRead } = await getUserByName(world.ctx, "reader");
    expect(homeRead).toBeLessThan((world.ctx.now() + 1) * 1000);
  });

  it("the page marks home as read, and leads back to it when it is further down", async () => {
    world.pass(2000);
    await post("four");
    const { text: page } = await reader.get("/").expect(200);
    const fields = hiddenFields(page, "/home/read");
    expect(page).not.toContain("Where you were");
    await reader.post("/home/read", fields).expect(303);
    expect((await reader.get("/")).text).not.toContain('action="/home/read"');
    const { body } = await app.get("/api/v1/timelines/home?limit=1").expect(200);
    const [newest] = body as { id: string }[];
    expect(await markers()).toMatchObject({ home: { last_read_id: newest?.id } });
    await reader.post("/home/read", { upto: "x" }).expect(422);

    await post(...Array.from({ length: 51 }, (_, nth) => `more ${nth}`));
    const { text: next } = await reader.get("/").expect(200);
    const link = /href="(\/\?before=\d+)"[^>]*>Where you were/.exec(next)?.[1] ?? "";
    expect(tweetsOn((await reader.get(link).expect(200)).text)[0]?.text).toBe("four");
  });
});
