import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tagsAtMost } from "../../src/domain/graph/follows.ts";
import type { UserId } from "../../src/domain/ids.ts";
import { getUserByName } from "../../src/domain/users/store.ts";
import { keys } from "../../src/redis/keys.ts";
import { ApiClient } from "../support/actors/api-client.ts";
import { readByLinks } from "../support/actors/api-pages.ts";
import type { Visitor } from "../support/actors/visitor.ts";
import { closeChecked } from "../support/world/doctor.ts";
import { createWorld, type World } from "../support/world/world.ts";

const names = (tags: unknown) => (tags as { name: string }[]).map(({ name }) => name);

describe("followed hashtags", () => {
  let world: World;
  let reader: Visitor;
  let stranger: Visitor;
  let app: ApiClient;
  let readerId: UserId;
  beforeAll(async () => {
    world = await createWorld();
    reader = await world.newcomer("reader");
    stranger = await world.newcomer("stranger");
    app = await ApiClient.of(world, "reader");
    readerId = (await getUserByName(world.ctx, "reader")).id;
  });
  afterAll(async () => {
    // The client's app is not registered.
    await world.ctx.redis.del(keys.tokens(readerId));
    await closeChecked(world);
  });

  const home = async () => {
    await world.delivered();
    return (await reader.see("/")).map(({ text }) => text);
  };

  it("a user follows a hashtag on its page, and sees its tweets at home", async () => {
    await stranger.tweet("one #すずめ");
    await stranger.tweet("nothing of it");
    expect(await home()).toEqual([]);
    const path = `/tags/${encodeURIComponent("すずめ")}`;
    expect((await reader.get(path).expect(200)).text).toContain(`action="${path}/follow"`);
    await reader.post(`${path}/follow`).expect(303);
    expect((await reader.get(path)).text).toContain(`action="${path}/unfollow"`);
    expect(await home()).toEqual(["one #すずめ"]);
    await stranger.tweet("two #すずめ");
    expect(await home()).toEqual(["two #すずめ", "one #すずめ"]);
    expect((await reader.get("/settings/tags").expect(200)).text).toContain(`href="${path}"`);
  });

  it("an app sees, follows and unfollows the same hashtags", async () => {
    const { body } = await app.post("/api/v1/tags/Birds/follow").expect(200);
    expect(body).toMatchObject({ name: "birds", following: true });
    await app.post("/api/v1/tags/%20/follow").expect(404);
    const { body: listed } = await app.get("/api/v1/followed_tags").expect(200);
    expect(names(listed)).toEqual(["birds", "すずめ"]);
    expect(listed).toMatchObject([{ following: true }, { following: true }]);
    const paged = await readByLinks(app, "/api/v1/followed_tags?limit=1");
    expect(names(paged.flat())).toEqual(["birds", "すずめ"]);
    expect((await app.get("/api/v1/tags/birds")).body).toMatchObject({ following: true });
    expect((await app.get("/api/v1/tags/fish")).body).toMatchObject({ following: false });
    const ended = await app.post("/api/v1/tags/birds/unfollow").expect(200);
    expect(ended.body).toMatchObject({ following: false });
    const { body: statuses } = await app.get("/api/v1/timelines/home").expect(200);
    expect(statuses).toHaveLength(2);
  });

  it("mutes and blocks hide tweets with a followed hashtag", async () => {
    await reader.post("/@stranger/mute").expect(303);
    expect(await home()).toEqual([]);
    await reader.post("/@stranger/unmute").expect(303);
    await stranger.post("/@reader/block").expect(303);
    expect(await home()).toEqual([]);
    await stranger.post("/@reader/unblock").expect(303);
    expect(await home()).toHaveLength(2);
  });

  it("a user follows fifty hashtags at most", async () => {
    for (let nth = 1; nth < tagsAtMost; nth += 1)
      await reader.post(`/tags/t${nth}/follow`).expect(303);
    expect((await reader.post("/tags/more/follow").expect(422)).text).toContain("50 hashtags");
    await app.post("/api/v1/tags/more/follow").expect(422);
    await reader.post("/tags/t1/follow").expect(303);
    const unfollowed = await reader.post("/tags/t1/unfollow", { next: "/settings/tags" });
    expect(unfollowed.headers["location"]).toBe("/settings/tags");
    await reader.post("/tags/more/follow").expect(303);
    await reader.post(`/tags/${encodeURIComponent("すずめ")}/unfollow`).expect(303);
    expect(await home()).toEqual([]);
  });
});
