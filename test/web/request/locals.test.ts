import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createWorld, type World } from "../../support/world/world.ts";

describe("pages of signed-in users", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
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
});
