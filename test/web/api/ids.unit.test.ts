import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tweetId } from "../../../src/domain/ids.ts";
import { cursorId, parseStatusId, stampOfId, statusId } from "../../../src/web/api/ids.ts";

const tweets = fc.record({
  id: fc.integer({ min: 1, max: 999_999_999_999 }).map(tweetId),
  createdAt: fc.integer({ min: 1e15, max: Number.MAX_SAFE_INTEGER }),
});

describe("the id of a status", () => {
  it("a status id holds the tweet and its stamp", () => {
    fc.assert(
      fc.property(tweets, (tweet) => {
        const id = statusId(tweet);
        expect(id).toMatch(/^\d{28}$/);
        expect(parseStatusId(id)).toEqual({ id: tweet.id, stamp: tweet.createdAt });
        expect(stampOfId(id)).toBe(tweet.createdAt);
        expect(stampOfId(cursorId(tweet.createdAt))).toBe(tweet.createdAt);
      }),
    );
  });

  it("a newer status has a greater id", () => {
    fc.assert(
      fc.property(tweets, tweets, (one, other) => {
        const newer = BigInt(statusId(one)) > BigInt(statusId(other));
        const isLater =
          one.createdAt > other.createdAt ||
          (one.createdAt === other.createdAt && Number(one.id) > Number(other.id));
        expect(newer).toBe(isLater);
      }),
    );
  });

  it.each([
    "",
    "0",
    "1",
    "abc",
    "-1",
    "1e30",
    "1795277993192001000000000000",
    "1".repeat(40),
    "١".repeat(28),
  ])("a status id is never %j", (text) => {
    expect(parseStatusId(text)).toBeUndefined();
  });

  it("a bound may be any decimal number", () => {
    expect(stampOfId("0")).toBe(0);
    expect(stampOfId("999999999999")).toBe(0);
    expect(stampOfId("1000000000000")).toBe(1);
    expect(stampOfId("9".repeat(40))).toBe(Number.MAX_SAFE_INTEGER);
    for (const text of ["", "-1", "1.5", "1e5", "abc", " 1", "9".repeat(41)])
      expect(stampOfId(text)).toBeUndefined();
  });
});
