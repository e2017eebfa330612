import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { grantToNewcomer } from "../../../src/domain/apps/sign-up-grant.ts";
import { openToken } from "../../../src/domain/apps/open-token.ts";
import { registerApp } from "../../../src/domain/apps/register.ts";
import { keys } from "../../../src/redis/keys.ts";
import { newPerson } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("the token of somebody who signed up through an app", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  it("lets the app in for all that it registered for, and keeps the app for good", async () => {
    const { ctx } = world;
    const { app } = await registerApp(ctx, {
      name: "Birdwatch",
      redirectUris: ["https://app.example/"],
      scopes: "read write:statuses",
      website: "",
    });
    const user = await newPerson(ctx);
    const { token, scopes } = await grantToNewcomer(ctx, app, { user, generation: "" });
    expect([...scopes]).toEqual(["read", "write:statuses"]);
    expect(await openToken(ctx, token)).toMatchObject({
      grant: { app: app.client, user },
      user: { id: user },
    });
    expect(await ctx.redis.ttl(keys.app(app.client))).toBe(-1);
  });
});
