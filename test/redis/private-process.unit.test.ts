import { describe, expect, it } from "vitest";
import { maxTrackedKeys } from "../../src/redis/private-process.ts";

describe("the private Redis", () => {
  it("notes more read keys on a machine with more memory, within bounds", () => {
    const gigabyte = 1e9;
    expect(maxTrackedKeys(gigabyte / 2)).toBe(200_000);
    expect(maxTrackedKeys(4 * gigabyte)).toBe(400_000);
    expect(maxTrackedKeys(64 * gigabyte)).toBe(1_000_000);
  });
});
