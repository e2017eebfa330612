import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { KeptParts } from "../../../src/domain/feeds/kept-parts.ts";
import { recorded, Recording } from "../../../src/domain/scope.ts";
import { createWorld, type World } from "../../support/world/world.ts";

describe("parts of a list that is made again", () => {
  let world: World;
  let parts: KeptParts<string, string>;
  /** Keys whose parts were made, in order. */
  let made: string[] = [];
  beforeAll(async () => {
    world = await createWorld({}, { workers: false });
  });
  afterAll(async () => await world.close());
  beforeEach(() => {
    parts = new KeptParts<string, string>(
      (key) => key,
      () => true,
    );
    made = [];
  });

  const set = async (key: string, value: string) => {
    await world.ctx.redis.set(key, value);
    await world.ctx.memory.settled();
  };
  const make = async (keys: string[]) => {
    made.push(...keys);
    return await Promise.all(keys.map(async (key) => (await world.ctx.redis.get(key)) ?? "none"));
  };
  /** The parts of a page, and its inputs. */
  const read = async (...keys: string[]) => {
    const recording = new Recording(world.ctx.now());
    const values = await recorded(recording, () => parts.read(world.ctx, keys, make));
    return { values, recording };
  };

  it("are made once, and again when their inputs change", async () => {
    await set("old", "1");
    await set("new", "2");
    await read("old");
    expect((await read("new", "old")).values).toEqual(["2", "1"]);
    await set("old", "3");
    expect((await read("new", "old")).values).toEqual(["2", "3"]);
    expect(made).toEqual(["old", "new", "old"]);
  });

  it("make the page invalid when an input of any of them changes", async () => {
    await set("old", "1");
    await read("old");
    const { recording } = await read("old", "new");
    expect(recording.isGood(world.ctx.now())).toBe(true);
    await set("old", "2");
    expect(recording.isGood(world.ctx.now())).toBe(false);
  });

  it("share their inputs if they were made together", async () => {
    await read("one", "two");
    await set("one", "1");
    await read("two");
    expect(made).toEqual(["one", "two", "two"]);
  });

  it("are forgotten if two readings do without them", async () => {
    await read("one");
    await read("two");
    await read("one");
    expect(made).toEqual(["one", "two"]);
    await read("two");
    await read("two");
    await read("one");
    expect(made).toEqual(["one", "two", "one"]);
  });

  it("are all made together again after many readings, and share their inputs", async () => {
    const all = Array.from({ length: 20 }, (_, nth) => `part ${nth}`);
    const sizes: number[] = [];
    for (const count of all.keys()) {
      made = [];
      await read(...all.slice(0, count + 1));
      sizes.push(made.length);
    }
    expect(sizes).toEqual([...Array.from({ length: 16 }, () => 1), 17, 1, 1, 1]);
  });

  it("are made each time where no inputs are recorded", async () => {
    await parts.read(world.ctx, ["one"], make);
    await parts.read(world.ctx, ["one"], make);
    expect(made).toEqual(["one", "one"]);
  });
});
