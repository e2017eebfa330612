import { describe, expect, it } from "vitest";
import {
  parseTweetId,
  tweetId,
  userId,
  parseStamp,
  stampAt,
  stampToDate,
} from "../../src/domain/ids.ts";
import * as fc from "fast-check";

const noIds = [
  "",
  "0",
  "01",
  "-1",
  "+1",
  "1.0",
  "1e3",
  " 1",
  "1\n",
  "١",
  "0x1",
  "9".repeat(16),
  "floor",
];

describe("ids", () => {
  it.each(["1", "42", "9".repeat(15)])("ids are decimal numbers such as %s", (id) => {
    expect(parseTweetId(id)).toBe(id);
    expect(tweetId(id)).toBe(id);
    expect(userId(Number(id))).toBe(id);
  });

  it.each(noIds)("an id is not spelled %j", (text) => {
    expect(parseTweetId(text)).toBeUndefined();
    expect(() => tweetId(text)).toThrow(TypeError);
    expect(() => userId(text)).toThrow("not an id");
  });

  it.each([0, -1, 1.5, NaN, Infinity, 1e15])("an id is not the number %d", (number) => {
    expect(() => userId(number)).toThrow(TypeError);
  });
});

const year2255 = Date.UTC(2255, 0);

describe("a stamp", () => {
  it("a stamp is the time in microseconds, with the end of the id in its last digits", () => {
    expect(stampAt(1_700_000_000_123, "7")).toBe(1_700_000_000_123_007);
    expect(stampAt(1_700_000_000_123.9, "98765")).toBe(1_700_000_000_123_765);
  });

  it("stamps keep a thousand successive ids of one millisecond apart", () => {
    const stamps = Array.from({ length: 1000 }, (_, nth) =>
      stampAt(1_700_000_000_000, `${nth + 1}`),
    );
    expect(new Set(stamps).size).toBe(1000);
  });

  it("a stamp returns its time, and survives Redis and a URL, until 2255", () => {
    fc.assert(
      fc.property(fc.nat(year2255), fc.integer({ min: 1, max: 1e9 }), (milliseconds, id) => {
        const stamp = stampAt(milliseconds, String(id));
        expect(Number.isSafeInteger(stamp)).toBe(true);
        expect(stampToDate(stamp).getTime()).toBe(milliseconds);
        expect(parseStamp(String(stamp))).toBe(stamp);
      }),
    );
  });

  it.each(["", "-1", "1.5", "1e9", "inf", "(5", " 5", "9".repeat(16), "1".repeat(17), "NaN"])(
    "a stamp is not read from %j",
    (text) => {
      expect(parseStamp(text)).toBeUndefined();
    },
  );
});
