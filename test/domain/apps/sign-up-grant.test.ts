import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { issueSignUpToken } from "../../../src/domain/apps/issue-token.ts";
import { openToken } from "../../../src/domain/apps/tokens.ts";
import { registerApp } from "../../../src/domain/apps/store.ts";
import { keys } from "../../../src/redis/keys.ts";
import { newPerson } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("sign-up grants", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it("signing up through an app grants it its registered scopes, and keeps the app for good", async () => {
    const { ctx } = world;
    const { app } = await registerApp(ctx, {
      name: "Birdwatch",
      redirectUris: ["https://app.example/"],
      scopes: "read write:statuses",
      website: "",
    });
    const user = await newPerson(ctx);
    const { token, scopes } = await issueSignUpToken(ctx, app, { user, generation: "" });
    expect([...scopes]).toEqual(["read", "write:statuses"]);
    expect(await openToken(ctx, token)).toMatchObject({
      grant: { app: app.client, user },
      user: { id: user },
    });
    expect(await ctx.redis.ttl(keys.app(app.client))).toBe(-1);
  });
});
