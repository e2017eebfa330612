import { describe, expect, it } from "vitest";
import { memo } from "../../src/domain/memo.ts";

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
});
