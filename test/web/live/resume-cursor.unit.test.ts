import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parsePlace, serializeCursor } from "../../../src/web/live/resume-cursor.ts";

const now = 1_795_277_993_192_001;
const day = 24 * 60 * 60 * 1e6;

describe("resume cursors", () => {
  it("a resume cursor is read back within a day", () => {
    const stamp = fc.integer({ min: now - day, max: now });
    fc.assert(
      fc.property(stamp, stamp, (tweets, notifications) => {
        const place = { tweets, notifications };
        expect(parsePlace(serializeCursor(place), now)).toEqual(place);
      }),
    );
  });

  it("an invalid resume cursor means now, and a valid one is never far from it", () => {
    for (const raw of [undefined, "", "x", "1-", "-1", "1.5", "9".repeat(30)])
      expect(parsePlace(raw, now)).toEqual({ tweets: now, notifications: now });
    expect(parsePlace("5", now)).toEqual({ tweets: now - day, notifications: now - day });
    const { tweets } = parsePlace(String(now * 2), now);
    expect(tweets).toBeLessThanOrEqual(now + 60 * 1e6);
  });
});
