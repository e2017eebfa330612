import { encode, toBytes } from "@atcute/cbor";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { requireBounded } from "../../../src/domain/archives/cbor-size.ts";
import { runs } from "../../support/models/property-runs.ts";
import { encode as encodeRecord, rawLink } from "../../support/data/bluesky-archive.ts";

/** Values of each kind of DAG-CBOR but links. */
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.oneof(
      fc.constantFrom(null, true, false, 0.5, -1.5),
      fc.maxSafeInteger(),
      fc.string({ unit: "binary", maxLength: 300 }).map((text) => text.toWellFormed()),
      fc.uint8Array({ maxLength: 300 }).map(toBytes),
    ),
    fc.array(tie("value"), { maxLength: 30 }),
    fc.dictionary(
      fc.string().map((key) => key.toWellFormed()),
      tie("value"),
      { maxKeys: 30, noNullPrototype: true },
    ),
  ),
}));

/** Values of all levels; keys of maps are such, too. */
function countIn(one: unknown): number {
  if (Array.isArray(one)) return one.reduce((sum: number, item) => sum + countIn(item), 1);
  const isMap = one instanceof Object && Object.getPrototypeOf(one) === Object.prototype;
  return isMap ? Object.keys(one).length + countIn(Object.values(one)) : 1;
}

const bytesOf = (hex: string) => Buffer.from(hex, "hex");

describe("the size of CBOR", () => {
  it("whatever has as many values as it says passes, up to a bound of their number", () => {
    fc.assert(
      fc.property(value, (one) => {
        const bytes = encode(one);
        expect(() => requireBounded(bytes, countIn(one))).not.toThrow();
        expect(() => requireBounded(bytes, countIn(one) - 1)).toThrow(RangeError);
      }),
      runs(500),
    );
    const links = encodeRecord([rawLink(Buffer.from("a")), { b: rawLink(Buffer.from("b")) }]);
    expect(() => requireBounded(links, 100)).not.toThrow();
  });

  it("a list or map that says it has more values than there are bytes is refused, at any depth", () => {
    fc.assert(
      fc.property(
        fc.array(value, { maxLength: 5 }),
        fc.constantFrom("9a", "ba"),
        fc.integer({ min: 1, max: 9 }),
        (before, kind, depth) => {
          const start = Buffer.concat([bytesOf("82".repeat(depth)), encode(before)]);
          const length = Buffer.alloc(4);
          length.writeUInt32BE(start.length + 100_000);
          const inflated = Buffer.concat([start, bytesOf(kind), length, Buffer.alloc(1000)]);
          // The lists around it have one value more.
          expect(() => requireBounded(inflated.subarray(0, -1), 10 ** 9)).toThrow(RangeError);
        },
      ),
      runs(500),
    );
  });

  it("lists in lists that share the same bytes are refused", () => {
    // Each says that it has 200 values, and the bytes of 200 follow; together they would have 600.
    const nested = Buffer.concat([bytesOf("98c898c898c8"), Buffer.alloc(200)]);
    expect(() => requireBounded(nested, 10 ** 9)).toThrow(RangeError);
    const whole = Buffer.concat([bytesOf("98c898c898c8"), Buffer.alloc(598)]);
    expect(() => requireBounded(whole, 10 ** 9)).not.toThrow();
  });

  it.each([
    ["nothing", ""],
    ["a text that is cut off", "6261"],
    ["a number that is cut off", "1903"],
    ["a tag of nothing", "d82a"],
    ["a list without an end", "9f01ff"],
    ["a text without an end", "7f6161ff"],
    ["a reserved length", "9c0000"],
    ["a length of 64 bits", "9bffffffffffffffff00"],
    ["bytes of 64 bits", "5bffffffffffffffff00"],
  ])("%s is refused", (_, hex) => {
    expect(() => requireBounded(bytesOf(hex), 100)).toThrow(RangeError);
  });

  it("deep lists take no stack", () => {
    const deep = Buffer.concat([Buffer.alloc(99_999, 0x81), Buffer.from([0])]);
    expect(() => requireBounded(deep, 100_000)).not.toThrow();
  });
});
