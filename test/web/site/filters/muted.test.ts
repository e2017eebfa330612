import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getUserByName } from "../../../../src/domain/users/store.ts";
import { suspendUser } from "../../../../src/domain/users/suspension.ts";
import { keys } from "../../../../src/redis/keys.ts";
import { olderOn, peopleOn } from "../../../support/inspect/page.ts";
import { createWorld, type World } from "../../../support/world/world.ts";

/** Entries newer than any of today's, of people who are gone. */
function gone(count: number): number[] {
  return Array.from({ length: count }, (_, nth) => [8e15 + nth, 900_000 + nth]).flat();
}

describe("lists of muted and blocked users", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    await world.newcomer("pest");
  });
  afterAll(() => world.close());

  const idOf = async (name: string) => (await getUserByName(world.ctx, name)).id;

  it.each(["mute", "block"] as const)(
    "a page of muted and blocked users is full however many are deleted: %s",
    async (verb) => {
      const viewer = await world.newcomer(`full_${verb}`);
      await viewer.post(`/@pest/${verb}`, {}).expect(303);
      const list = { mute: keys.mutes, block: keys.blocks }[verb](await idOf(`full_${verb}`));
      await world.ctx.redis.zadd(list, ...gone(120));
      const { text } = await viewer.get(`/settings/${verb === "mute" ? "muted" : "blocked"}`);
      expect(peopleOn(text)).toEqual(["pest"]);
      expect(text).not.toContain("nobody");
      expect(olderOn(text)).toBeUndefined();
    },
  );

  it.each(["mute", "block"] as const)(
    "a page of muted and blocked users never claims to be empty before the end: %s",
    async (verb) => {
      const viewer = await world.newcomer(`way_${verb}`);
      await viewer.post(`/@pest/${verb}`, {}).expect(303);
      const list = { mute: keys.mutes, block: keys.blocks }[verb](await idOf(`way_${verb}`));
      await world.ctx.redis.zadd(list, ...gone(5000));
      const { text } = await viewer.get(`/settings/${verb === "mute" ? "muted" : "blocked"}`);
      expect(text).not.toContain("nobody");
      expect(olderOn(text)).toBeDefined();
    },
  );

  it("suspended users are listed without their texts, and can be released", async () => {
    const viewer = await world.newcomer("patient");
    await world.newcomer("banned");
    for (const verb of ["follow", "mute"]) await viewer.post(`/@banned/${verb}`, {}).expect(303);
    const banned = await getUserByName(world.ctx, "banned");
    await suspendUser(world.ctx, banned);
    const muted = await viewer.get("/settings/muted").expect(200);
    expect(peopleOn(muted.text)).toEqual(["banned"]);
    expect(muted.text).toContain("/@banned/unmute");
    expect(muted.text).not.toContain(banned.fullname);
    await viewer.post("/@banned/unmute", { next: "/settings/muted" }).expect(303);
    await viewer.post("/@banned/unfollow", { next: "/" }).expect(303);
    const id = await idOf("patient");
    for (const list of [keys.mutes(id), keys.followings(id)])
      expect(await world.ctx.redis.exists(list)).toBe(0);

    await world.ctx.redis.zadd(keys.blocks(id), 1, banned.id);
    const blocked = await viewer.get("/settings/blocked").expect(200);
    expect(peopleOn(blocked.text)).toEqual(["banned"]);
    expect(blocked.text).toContain("/@banned/unblock");
    await viewer.post("/@banned/unblock", { next: "/settings/blocked" }).expect(303);
    expect(await world.ctx.redis.exists(keys.blocks(id))).toBe(0);
    for (const verb of ["mute", "block", "follow"])
      expect((await viewer.post(`/@banned/${verb}`, {})).status).toBeGreaterThanOrEqual(400);
  });
});
