import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Ctx } from "../../src/context.ts";
import { memo, readRarely } from "../../src/domain/memo.ts";

describe("memo", () => {
  it("a derived value is made once for each object, even if it is undefined", () => {
    const seen: object[] = [];
    const lengthOf = memo((source: { name?: string }) => {
      seen.push(source);
      return source.name?.length;
    });
    const [one, other] = [{ name: "one" }, {}];
    expect([lengthOf(one), lengthOf(other), lengthOf(one), lengthOf(other)]).toEqual([
      3,
      undefined,
      3,
      undefined,
    ]);
    expect(seen).toEqual([one, other]);
  });

  it("a value that is read rarely is read once for all who ask at once, and again after a failure", async () => {
    let reads = 0;
    let isAway = true;
    const read = readRarely(60_000, async () => {
      reads += 1;
      await sleep(5);
      if (isAway) throw new Error("away");
      return reads;
    });
    const ctx = { redis: {}, now: () => 1000 } as unknown as Ctx;
    const failed = await Promise.allSettled([read(ctx), read(ctx)]);
    expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    isAway = false;
    expect(await Promise.all([read(ctx), read(ctx), read(ctx)])).toEqual([2, 2, 2]);
    expect(await read(ctx)).toBe(2);
  });
});
