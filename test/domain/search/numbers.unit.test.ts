import * as fc from "fast-check";
import { expect, it } from "vitest";
import {
  inAll,
  isAnyIn,
  packAscending,
  unpackAscending,
} from "../../../src/domain/search/numbers.ts";
import { runs } from "../../support/models/property-runs.ts";

const number = fc.oneof(fc.nat({ max: 20 }), fc.nat({ max: 40_000 }), fc.maxSafeNat());
const ascending = fc
  .uniqueArray(fc.oneof(fc.nat({ max: 20 }), fc.nat({ max: 40_000 })), { maxLength: 30 })
  .map((numbers) => numbers.toSorted((one, other) => one - other));

it("packed numbers are unpacked as they were", () => {
  const same = fc.property(fc.array(number), (numbers) => {
    const sorted = numbers.toSorted((one, other) => one - other);
    expect(unpackAscending(packAscending(sorted))).toEqual(sorted);
  });
  fc.assert(same, runs(200));
});

it("numbers are in all packed lists if each list has them", () => {
  const lists = fc.array(ascending, { minLength: 1, maxLength: 4 });
  const same = fc.property(lists, (all) => {
    const [first = [], ...others] = all;
    const expected = first.filter((one) => others.every((other) => other.includes(one)));
    expect(inAll(all.map(packAscending))).toEqual(expected);
  });
  fc.assert(same, runs(200));
});

it("a range has a number if one of them lies in it, the end left out", () => {
  const same = fc.property(ascending, number, number, (numbers, from, end) => {
    const isThere = numbers.some((one) => one >= from && one < end);
    expect(isAnyIn(numbers, from, end)).toBe(isThere);
  });
  fc.assert(same, runs(200));
});
