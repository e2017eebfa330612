import { assert as holds, constantFrom, integer, property } from "fast-check";
import { expect, it } from "vitest";
import { userId, stampAt } from "../../../src/domain/ids.ts";
import { notificationId, rounding, typeOf } from "../../../src/domain/notifications/api-names.ts";
import type { NotificationKind } from "../../../src/domain/notifications/store.ts";
import { stampOfNotification } from "../../../src/web/api/ids.ts";

it("a notification's id keeps its stamp when it is rounded to a number of JavaScript", () => {
  const kinds = constantFrom(...(Object.keys(typeOf) as NotificationKind[]));
  const until2100 = integer({ min: Date.UTC(2020, 0), max: Date.UTC(2100, 0) });
  const actors = integer({ min: 1, max: 999_999_999 });
  const keepsStamp = property(kinds, until2100, actors, (kind, moment, number) => {
    const actor = userId(number);
    const stamp = stampAt(moment, actor);
    const id = notificationId({ kind, actor, stamp, tweet: undefined });
    const rounded = BigInt(Number(id));
    expect(stampOfNotification(String(rounded))).toBe(stamp);
    expect(Math.abs(Number(rounded - BigInt(id)))).toBeLessThanOrEqual(rounding);
  });
  holds(keepsStamp);
});
