import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseTimestamp, formatTimestamp } from "../../../src/domain/ids.ts";

describe("timestamps in an export", () => {
  it("a timestamp in an export reads back to the microsecond", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8_000_000_000_000_000 }), (stamp) => {
        expect(parseTimestamp(formatTimestamp(stamp))).toBe(stamp);
      }),
    );
  });

  it("a timestamp is ISO 8601, and may be less precise", () => {
    expect(formatTimestamp(1_700_000_000_123_456)).toBe("2023-11-14T22:13:20.123456Z");
    expect(parseTimestamp("2023-11-14T22:13:20Z")).toBe(1_700_000_000_000_000);
    expect(parseTimestamp("2023-11-14T22:13:20.5Z")).toBe(1_700_000_000_500_000);
  });

  it("nothing else is a timestamp", () => {
    for (const text of [
      "",
      "now",
      "2023-13-01T00:00:00Z",
      "1970-01-01T00:00:00Z",
      "1969-12-31T23:59:59Z",
      "2023-11-14",
      "9".repeat(1000),
    ])
      expect([text, parseTimestamp(text)]).toEqual([text, undefined]);
    fc.assert(fc.property(fc.string(), (text) => parseTimestamp(text) === undefined));
  });
});
