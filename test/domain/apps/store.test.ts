import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { registerApp, type Registration, findApps } from "../../../src/domain/apps/store.ts";
import type { Problem } from "../../../src/domain/errors.ts";
import { keys } from "../../../src/redis/keys.ts";
import { createWorld, type World } from "../../support/world/world.ts";
import { findKeys } from "../../support/world/redis-nodes.ts";

const plain = { name: "Birdwatch", redirectUris: ["app://x"], scopes: "read", website: "" };

describe("registering an app", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  const register = (about: Partial<Registration> = {}) =>
    registerApp(world.ctx, { ...plain, ...about });

  it("registering an app gives it an id, a number and a secret of its own", async () => {
    const registered = await Promise.all([register(), register(), register()]);
    const apps = registered.map(({ app }) => app);
    for (const all of [
      registered.map((one) => one.secret),
      apps.map((app) => app.client),
      apps.map((app) => app.id),
    ])
      expect(new Set(all).size).toBe(3);
    const found = await findApps(
      world.ctx,
      apps.map((app) => app.client),
    );
    expect([...found.values()]).toEqual(apps);
  });

  it("registering an app cleans the texts that will be shown", async () => {
    const { app } = await register({
      name: " Bird\u202E\n\twatch\u0000 ",
      website: " https://app.example/ ",
      redirectUris: ["app://x", "app://y", "app://x"],
    });
    expect(app).toMatchObject({ name: "Bird watch", website: "https://app.example/" });
    expect(app.redirectUris).toEqual(["app://x", "app://y"]);
  });

  it("an app takes about two thousand bytes at most, whatever it sends (L2)", async () => {
    const sizes: number[] = [];
    for (let length = 1500; length <= 2000; length += 20) {
      const made = await register({
        name: "鳥".repeat(60),
        redirectUris: [`app://${"x".repeat(length)}`],
      }).catch(() => undefined);
      if (made === undefined) continue;
      sizes.push((await world.ctx.redis.memory("USAGE", keys.app(made.app.client))) ?? 0);
    }
    expect(sizes.length).toBeGreaterThan(0);
    expect(Math.max(...sizes)).toBeLessThan(3000);
  });

  it.each<[string, Partial<Registration>, Record<string, Problem>]>([
    ["without a name", { name: " \u200B" }, { client_name: "app.empty" }],
    ["with a long name", { name: "x".repeat(61) }, { client_name: "app.long" }],
    ["without an address", { redirectUris: [] }, { redirect_uris: "redirect.missing" }],
    ["with a script", { redirectUris: ["javascript:1"] }, { redirect_uris: "redirect.format" }],
    ["with an unknown scope", { scopes: "read all" }, { scopes: "scopes.unknown" }],
    ["with a script as its website", { website: "javascript:1" }, { website: "website.format" }],
    [
      "with a long website",
      { website: `https://app.example/${"x".repeat(2000)}` },
      { website: "website.format" },
    ],
    [
      "with much of everything",
      {
        website: `https://app.example/${"x".repeat(900)}`,
        redirectUris: Array.from({ length: 10 }, (_, nth) => `app://${nth}/${"x".repeat(100)}`),
      },
      { client_name: "app.large" },
    ],
  ])("registering an app %s is refused, and leaves nothing", async (_, about, problems) => {
    const before = await findKeys(world.ctx.redis, keys.app("*" as never));
    await expect(register(about)).rejects.toMatchObject({ problems });
    expect(await findKeys(world.ctx.redis, keys.app("*" as never))).toHaveLength(before.length);
  });
});
