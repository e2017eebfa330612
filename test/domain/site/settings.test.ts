import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readSite, writeSite } from "../../../src/domain/site/settings.ts";
import { keys } from "../../../src/redis/keys.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("settings of the site", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({ signUp: "closed" }, { workers: false });
  });
  afterAll(() => world.close());

  it("site settings come from the environment until an admin changes them", async () => {
    const { ctx } = world;
    expect(await readSite(ctx)).toMatchObject({ signUp: "closed", read: "public", name: "Suzume" });
    await writeSite(ctx, { signUp: "invite", membersInvite: true, name: "Allotments" });
    const changed = { signUp: "invite", read: "public", membersInvite: true, name: "Allotments" };
    await expect.poll(() => readSite(ctx)).toMatchObject(changed);
    await writeSite(ctx, { membersInvite: false });
    await expect.poll(() => readSite(ctx)).toMatchObject({ ...changed, membersInvite: false });
  });

  it("site settings are one object until one of them changes", async () => {
    const { ctx } = world;
    const isSame = async () => (await readSite(ctx)) === (await readSite(ctx));
    await expect.poll(isSame).toBe(true);
    const before = await readSite(ctx);
    await writeSite(ctx, { tagline: "Seeds for all" });
    await expect.poll(() => readSite(ctx)).not.toBe(before);
  });

  it("site settings ignore a value of another version of Suzume", async () => {
    const { ctx } = world;
    await ctx.redis.hset(keys.site, "signUp", "lottery");
    await expect.poll(() => readSite(ctx)).toMatchObject({ signUp: "closed" });
  });
});
