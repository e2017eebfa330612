import { describe, expect, it } from "vitest";
import type { Ctx } from "../../src/context.ts";
import { promiseRemoval } from "../../src/domain/promises.ts";

const refused = async () => Promise.reject(new Error("OOM command not allowed"));

describe("promises that a full Redis refuses", () => {
  it("promises that find no place among those that wait are told in one line of the log", async () => {
    const lines: unknown[] = [];
    const log = { error: (about: object, text: string) => lines.push([about, text]) };
    const ctx = { redis: {}, log } as unknown as Ctx;
    for (let count = 0; count < 1000; count += 1) await promiseRemoval(ctx, refused);
    expect(lines).toEqual([]);
    for (let count = 0; count < 10; count += 1) await promiseRemoval(ctx, refused);
    const text = "a removal in a full memory is left to npm run doctor";
    expect(lines).toEqual([[{ waiting: 1000 }, text]]);
  });
});
