import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contextWithDeadlines } from "../../src/domain/deadline.ts";
import { recorded, Recording } from "../../src/domain/scope.ts";
import { readSite } from "../../src/domain/site/settings.ts";
import { keys } from "../../src/redis/keys.ts";
import { untilTracking } from "../support/world/memory-process.ts";
import { createWorld, type World } from "../support/world/world.ts";

describe("a page that is made although a read failed", () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
    await untilTracking(world.ctx.memory);
  });
  afterAll(() => world.close());

  const reads = {
    "of the site's settings": () => readSite(contextWithDeadlines(world.ctx)),
    "by a plain command": () => contextWithDeadlines(world.ctx).redis.hget(keys.site, "name"),
  };

  it.each(Object.entries(reads))("is not kept: a read %s", async (_, read) => {
    const make = async () => {
      const recording = new Recording(world.ctx.now());
      // As the site does in an outage: with what it last knew.
      await recorded(recording, async () => read().catch(() => undefined));
      return recording.isGood(world.ctx.now());
    };
    await world.ctx.memory.settled();
    expect(await make()).toBe(true);
    // A read that Redis refuses.
    await world.ctx.redis.set(keys.site, "no hash");
    await world.ctx.memory.settled();
    expect(await make()).toBe(false);
    await world.ctx.redis.del(keys.site);
  });
});
