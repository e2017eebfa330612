import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Unavailable } from "../../src/domain/errors.ts";
import { JsonRecords } from "../../src/redis/json-records.ts";
import { createWorld, type World } from "../support/world/world.ts";

describe("JSON records in a hash", () => {
  let world: World;
  let records: JsonRecords<{ rank: number }>;
  beforeEach(async () => {
    world = await createWorld();
    records = new JsonRecords(world.ctx.redis, "records");
  });
  afterEach(() => world.close());

  const ranks = async () =>
    (await records.list()).map(({ value }) => value.rank).toSorted((one, other) => one - other);

  it("trimming keeps the highest ranks above the least", async () => {
    for (const rank of [5, 1, 4, 2, 3]) await records.write(`r${rank}`, { rank });
    await records.trim(({ rank }) => rank, 3);
    expect(await ranks()).toEqual([3, 4, 5]);
    await records.trim(({ rank }) => rank, 3, 4);
    expect(await ranks()).toEqual([5]);
  });

  it("ten changes at once are all made", async () => {
    await records.write("one", { rank: 0 });
    const changes = Array.from({ length: 10 }, () =>
      records.change("one", ({ rank }) => ({ rank: rank + 1 })),
    );
    await Promise.all(changes);
    expect(await ranks()).toEqual([10]);
  });

  it("a change that is overtaken all the time is given up, whether it rewrites the record or removes it", async () => {
    for (const after of [{ rank: 0 }, null]) {
      let tries = 0;
      await records.write("one", { rank: 0 });
      const overtaken = records.change("one", async ({ rank }) => {
        tries += 1;
        if (tries > 2000) throw new Error("it is still tried");
        await records.write("one", { rank: rank + 1 });
        return after;
      });
      await expect(overtaken).rejects.toThrow(Unavailable);
      expect(await ranks()).toEqual([tries]);
    }
  });

  it("a removal takes a record as it is after a change in between", async () => {
    await records.write("one", { rank: 1 });
    let seen: number[] = [];
    const removed = await records.change("one", async ({ rank }) => {
      if (seen.length === 0) await records.write("one", { rank: 2 });
      seen = [...seen, rank];
      return null;
    });
    expect([removed, seen]).toEqual([{ before: { rank: 2 }, after: null }, [1, 2]]);
    expect(await ranks()).toEqual([]);
  });

  it("a record that was removed or changed is neither replaced nor removed", async () => {
    await records.write("one", { rank: 1 });
    const before = await records.find("one");
    await records.write("one", { rank: 2 });
    expect(before && (await records.replace(before, { rank: 3 }))).toBe(false);
    await records.removeUnchanged(before ? [before] : []);
    expect(await ranks()).toEqual([2]);
    await records.remove("one");
    expect(await records.change("one", ({ rank }) => ({ rank: rank + 1 }))).toBeUndefined();
    expect(await ranks()).toEqual([]);
  });

  it("a hash that is full takes no further record, and an added one is not overwritten", async () => {
    await records.add("one", { rank: 1 }, 1);
    expect(await records.add("two", { rank: 2 }, 1)).toBeUndefined();
    expect((await records.add("one", { rank: 3 }, 1))?.value).toEqual({ rank: 1 });
  });
});
