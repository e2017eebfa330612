import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tweetId } from "../../../src/domain/ids.ts";
import { formerStampOf, isStamp, parseStatusId, statusId } from "../../../src/web/api/ids.ts";

/** From February 1970, as tweets can be imported with their dates, to the year 2106. */
const tweets = fc.record({
  id: fc.integer({ min: 1, max: 2 ** 31 - 1 }).map(tweetId),
  createdAt: fc.integer({ min: 5e12, max: 4_294_967_295_999_999 }),
});

function second({ createdAt }: { createdAt: number }): number {
  return Math.floor(createdAt / 1e6);
}

describe("the id of a status", () => {
  it("a status id holds the tweet and its second, and fits into 64 bits", () => {
    fc.assert(
      fc.property(tweets, (tweet) => {
        const id = statusId(tweet);
        expect(id).toMatch(/^\d{17,19}$/);
        expect(BigInt.asIntN(64, BigInt(id))).toBe(BigInt(id));
        expect(isStamp(id)).toBe(false);
        const first = tweet.createdAt - (tweet.createdAt % 1e6);
        expect(parseStatusId(id)).toEqual({ id: tweet.id, first, last: first + 999_999 });
      }),
    );
  });

  it("a status of a later second has a greater id, and so has a later tweet of one second", () => {
    fc.assert(
      fc.property(tweets, tweets, fc.boolean(), (one, drawn, isSameSecond) => {
        const other = isSameSecond ? { ...drawn, createdAt: one.createdAt } : drawn;
        const isGreater = BigInt(statusId(one)) > BigInt(statusId(other));
        const isLater =
          second(one) > second(other) ||
          (second(one) === second(other) && Number(one.id) > Number(other.id));
        expect(isGreater).toBe(isLater);
      }),
    );
  });

  it("an id as it was before, a stamp and twelve digits, still names its tweet", () => {
    fc.assert(
      fc.property(tweets, ({ id, createdAt }) => {
        const stamp = createdAt + 1e15;
        const former = `${stamp}${id.padStart(12, "0")}`;
        expect(parseStatusId(former)).toEqual({ id, first: stamp, last: stamp });
        expect(formerStampOf(former)).toBe(stamp);
      }),
    );
  });

  it.each([
    "",
    "0",
    "abc",
    "-1",
    "1e30",
    "1795277993192001000000000000",
    String(2n ** 31n * 1_795_277_993n),
    "1".repeat(40),
    "١".repeat(28),
  ])("a status id is never %j", (text) => {
    expect(parseStatusId(text)).toBeUndefined();
  });
});
