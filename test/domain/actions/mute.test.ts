import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { UserId } from "../../../src/domain/ids.ts";
import { mute, unmute } from "../../../src/domain/actions/mute.ts";
import { mutesPage, relationsTo } from "../../../src/domain/graph/relations.ts";
import { keys } from "../../../src/redis/keys.ts";
import { getViewer, newPeople, newPerson, readAll } from "../../support/actors/people.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("a mute", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(() => world.close());

  const isMuted = async (muter: UserId, muted: UserId) =>
    (await relationsTo(world.ctx, await getViewer(world.ctx, muter), [muted]))(muted).muted;

  it("a mute is one-sided, lasts until it is undone, and may be repeated", async () => {
    const [muter, muted] = (await newPeople(world.ctx, 2)) as [UserId, UserId];
    for (const turn of [mute, mute]) await turn(world.ctx, { muter, muted });
    expect(await isMuted(muter, muted)).toBe(true);
    expect(await isMuted(muted, muter)).toBe(false);
    for (const turn of [unmute, unmute]) await turn(world.ctx, { muter, muted });
    expect(await isMuted(muter, muted)).toBe(false);
  });

  it("muting oneself is refused", async () => {
    const me = await newPerson(world.ctx);
    const attempt = mute(world.ctx, { muter: me, muted: me });
    await expect(attempt).rejects.toMatchObject({ problems: { form: "mute.self" } });
    expect(await world.ctx.redis.exists(keys.mutes(me))).toBe(0);
  });

  it("muted users are listed newest first, to the end", async () => {
    const [me, ...others] = (await newPeople(world.ctx, 121)) as [UserId, ...UserId[]];
    for (const muted of others) {
      world.pass(1);
      await mute(world.ctx, { muter: me, muted });
    }
    const listed = await readAll((before) => mutesPage(world.ctx, me, { before, limit: 50 }));
    expect(listed.map(({ id }) => id)).toEqual(others.toReversed());
  });
});
