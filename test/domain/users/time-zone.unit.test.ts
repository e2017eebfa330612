import { expect, it } from "vitest";
import { localTime, momentOf } from "../../../src/domain/users/time-zone.ts";

const berlin = "Europe/Berlin";

it("a time on the wall is a moment in its zone, in summer and in winter", () => {
  expect(momentOf("2026-07-01T09:00", berlin)).toBe(Date.parse("2026-07-01T07:00Z"));
  expect(momentOf("2026-12-01T09:00", berlin)).toBe(Date.parse("2026-12-01T08:00Z"));
  expect(momentOf("2026-12-01T09:00", "Asia/Tokyo")).toBe(Date.parse("2026-12-01T00:00Z"));
  expect(localTime(Date.parse("2026-12-01T00:00Z"), "Asia/Tokyo")).toBe("2026-12-01T09:00");
});

it("a time that clocks leave out is refused, and of one that comes twice the first counts", () => {
  expect(() => momentOf("2026-03-29T02:30", berlin)).toThrow("time.gap");
  expect(momentOf("2026-10-25T02:30", berlin)).toBe(Date.parse("2026-10-25T00:30Z"));
});

it.each(["", "tomorrow", "2026-02-30T09:00", "2026-12-01T24:00", "2026-13-01T09:00", "2026-12-01"])(
  "%j is no time",
  (text) => {
    expect(() => momentOf(text, berlin)).toThrow("when: time.format");
  },
);
