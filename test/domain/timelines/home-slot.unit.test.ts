import calculateSlot from "cluster-key-slot";
import { assert as holds, integer, property } from "fast-check";
import { expect, it } from "vitest";
import { userId } from "../../../src/domain/ids.ts";
import { homeSlot } from "../../../src/domain/timelines/delivery.ts";
import { keys } from "../../../src/redis/keys.ts";

it("the slot of a home timeline is that of its key, for ids of every length", () => {
  for (let digits = 1; digits <= 15; digits += 1) {
    const ids = integer({ min: 10 ** (digits - 1), max: 10 ** digits - 1 }).map(userId);
    const isSlotOfKey = property(ids, (user) => {
      const text = Buffer.from(`12 ${user} 345`);
      expect(homeSlot(text, 3, 3 + digits)).toBe(calculateSlot(keys.homeTimeline(user)));
    });
    holds(isSlotOfKey, { numRuns: 50 });
  }
});
