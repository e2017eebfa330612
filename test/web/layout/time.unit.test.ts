import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stampAt } from "../../../src/domain/ids.ts";
import { nextShortTime, presentDay, presentTime } from "../../../src/web/layout/time.ts";
import { english } from "../../support/actors/english-reader.ts";
import { runs } from "../../support/models/property-runs.ts";

const now = Date.UTC(2026, 10, 20, 12, 0, 0);
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const stampOf = (milliseconds: number) => stampAt(milliseconds, "7");

describe("times on pages", () => {
  it.each([
    ["now", 0],
    ["now", 59_999],
    ["now", -5000],
    ["1m", minute],
    ["59m", hour - 1],
    ["1h", hour],
    ["23h", day - 1],
    ["Nov 19", day],
    ["Jan 1", now - Date.UTC(2026, 0, 1)],
    ["Dec 31, 2025", now - Date.UTC(2026, 0, 1) + 1],
    ["Nov 3, 2024", now - Date.UTC(2024, 10, 3)],
  ])("a time is shown as %s", (text, age) => {
    expect(presentTime(english, stampOf(now - age), now).shortTime).toBe(text);
  });

  it("a time is machine-readable, with the full date as a title", () => {
    const time = presentTime(english, stampOf(Date.UTC(2026, 10, 3, 4, 5, 6, 789)), now);
    expect(time.isoTime).toBe("2026-11-03T04:05:06Z");
    expect(time.longTime).toBe("November 3, 2026 at 4:05 AM UTC");
  });

  it("a join date is a day", () => {
    expect(presentDay(english, stampOf(Date.UTC(2026, 10, 3, 23, 59)))).toBe("November 3, 2026");
  });

  it("a shown time reads the same until the given moment", () => {
    const moments = fc.integer({ min: Date.UTC(2020, 0), max: now + day });
    const ages = fc.integer({ min: 0, max: 800 * day });
    const steps = fc.integer({ min: 0, max: 2 * day });
    fc.assert(
      fc.property(moments, ages, steps, (moment, age, step) => {
        const stamp = stampOf(moment);
        const [one, other] = [moment + age, moment + age + step];
        const isBefore = other < nextShortTime(stamp, one);
        const sameText =
          presentTime(english, stamp, one).shortTime ===
          presentTime(english, stamp, other).shortTime;
        expect(sameText || !isBefore).toBe(true);
      }),
      runs(1000),
    );
  });
});
