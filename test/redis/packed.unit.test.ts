import { array, assert as holds, property, string } from "fast-check";
import { expect, it } from "vitest";
import { firstOf, Packed, packed, unpacked } from "../../src/redis/packed.ts";

it("packed texts are unpacked as they were", () => {
  const texts = array(string({ unit: "grapheme", maxLength: 6 }), { minLength: 1, maxLength: 400 });
  const isSame = property(texts, (some) => {
    const bytes = packed(some);
    expect(unpacked(bytes)).toEqual(some);
    expect(firstOf(bytes)).toBe(some[0]);
  });
  holds(isSame, { numRuns: 50 });
});

it("a packed text may be made of parts", () => {
  const keys = new Packed(2, 20);
  const ids = Buffer.from("7 123456");
  keys.add(Buffer.from("user:"), ids, 0, 1, Buffer.from(":home"));
  keys.add(Buffer.from("user:"), ids, 2, 8, Buffer.from(":home"));
  expect(keys.count).toBe(2);
  expect(unpacked(keys.bytes())).toEqual(["user:7:home", "user:123456:home"]);
});
