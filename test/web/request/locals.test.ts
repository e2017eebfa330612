import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { keys } from "../../../src/redis/keys.ts";
import { getUserByName } from "../../../src/domain/users/store.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("pages of signed-in users", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterEach(() => vi.restoreAllMocks());
  afterAll(() => world.close());

  const paths = ["/", "/explore", "/@keeper", "/@keeper/followers", "/settings/profile"];
  const others = ["/settings/account", "/settings/sessions", "/tweets/1", "/nowhere"];

  it("pages of signed-in users are not cached, not even by the browser", async () => {
    const person = await world.newcomer("keeper");
    await person.tweet("once");
    for (const path of [...paths, ...others]) {
      const { headers } = await person.get(path);
      expect([path, headers["cache-control"]]).toEqual([path, "no-store"]);
      expect(String(headers["vary"])).toMatch(/\bCookie\b/);
    }
    const refused = await person.post("/tweets", { text: "" }).expect(422);
    expect(refused.headers["cache-control"]).toBe("no-store");
  });

  it("a shared cache's copy for visitors is never sent to a signed-in user", async () => {
    for (const path of ["/", "/explore", "/@keeper", "/login", "/signup", "/settings/profile"]) {
      const { headers } = await world.visitor().get(path);
      expect(String(headers["cache-control"])).toMatch(/private|no-store/);
      expect(String(headers["vary"])).toMatch(/\bCookie\b/);
    }
  });

  it("a form that leads to a redirect reads no new notifications; a refused one shows their number", async () => {
    const [author, fan] = [await world.newcomer("author"), await world.newcomer("fan")];
    await fan.follow("author");
    const { id } = await getUserByName(world.ctx, "author");
    const reads = vi.spyOn(world.ctx.redis, "zrange").mock.calls;
    const readsOfNotifications = () => reads.filter(([key]) => key === keys.notifications(id));
    await author.post("/@fan/follow").expect(303);
    expect(readsOfNotifications()).toEqual([]);
    const { text } = await author.post("/tweets", { text: "" }).expect(422);
    expect(text).toContain("Notifications, 1 new");
    expect(readsOfNotifications()).not.toEqual([]);
  });
});
