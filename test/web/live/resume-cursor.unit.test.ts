import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseCursor, serializeCursor } from "../../../src/web/live/resume-cursor.ts";

const now = 1_795_277_993_192_001;
const day = 24 * 60 * 60 * 1e6;

describe("resume cursors", () => {
  it("a resume cursor is read back within a day", () => {
    const stamp = fc.integer({ min: now - day, max: now });
    fc.assert(
      fc.property(stamp, stamp, (tweets, notifications) => {
        const cursor = { tweets, notifications };
        expect(parseCursor(serializeCursor(cursor), now)).toEqual(cursor);
      }),
    );
  });

  it("an invalid resume cursor means now, and a valid one is never far from it", () => {
    for (const raw of [undefined, "", "x", "1-", "-1", "1.5", "9".repeat(30)])
      expect(parseCursor(raw, now)).toEqual({ tweets: now, notifications: now });
    expect(parseCursor("5", now)).toEqual({ tweets: now - day, notifications: now - day });
    const { tweets } = parseCursor(String(now * 2), now);
    expect(tweets).toBeLessThanOrEqual(now + 60 * 1e6);
  });
});
