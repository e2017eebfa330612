import { afterEach, describe, expect, it, vi } from "vitest";
import { DayClock, night } from "../../scripts/simulate/clock.ts";
import { day, hour } from "../../scripts/simulate/rhythm.ts";
import { paceFor, sizesOf } from "../../scripts/simulate/sizes.ts";

/** Real milliseconds until midnight. `isBehind` is asked at each tick, with the time of the day. */
function play(clock: DayClock, isBehind: (passed: number) => boolean = () => false): number {
  let ticks = 0;
  for (; clock.passed < day; ticks += 1) {
    vi.advanceTimersByTime(20);
    clock.advance(isBehind(clock.passed));
  }
  return 20 * ticks;
}

/** Real minutes of all days together. */
function minutes(people: number, about: Parameters<typeof paceFor>[1]): number {
  const sizes = sizesOf(people);
  return (sizes.reduce((sum, size) => sum + size, 0) * paceFor(sizes, about)) / 60_000;
}

describe("the clock of a simulated day", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("a day takes as long as planned, and the night a third of it", () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const start = 1_764_028_800_000;
    const clock = new DayClock(start, 60_000);
    expect(clock.now()).toBe(start);
    expect(Math.abs(play(clock) - 60_000)).toBeLessThan(100);
    expect(clock.now()).toBe(start + day);
    const hours = 24 - (2 / 3) * ((night.until - night.from) / hour);
    expect(clock.pace).toBeCloseTo((hours * hour) / 60_000);
  });

  it("the clock waits while the machine is behind", () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const clock = new DayClock(0, 60_000);
    let waits = 100;
    const took = play(clock, (passed) => passed > 12 * hour && waits-- > 0);
    expect(Math.abs(took - 62_000)).toBeLessThan(100);
    expect(clock.waited).toBeCloseTo(2000);
  });

  it("a pause of the machine does not skip what was planned", () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const clock = new DayClock(0, 60_000);
    vi.advanceTimersByTime(30_000);
    clock.advance(false);
    expect(clock.passed).toBeLessThan(hour);
  });
});

describe("the sizes of a simulation", () => {
  it("large sites are predicted from a twenty-fifth and a fifth, small ones from a quarter and half", () => {
    expect(sizesOf(100_000)).toEqual([4000, 20_000, 100_000]);
    expect(sizesOf(36_000)).toEqual([4000, 12_000, 36_000]);
    expect(sizesOf(2000)).toEqual([500, 1000, 2000]);
    expect(sizesOf(240)).toEqual([60, 120, 240]);
  });

  it("all days together take at most 24 minutes if the machine keeps up, and each some seconds", () => {
    expect(minutes(100_000, { load: 0 })).toBeLessThan(20);
    expect(minutes(100_000, { load: 0, needed: 30 })).toBeCloseTo(24);
    expect(minutes(100_000, { load: 3 })).toBeCloseTo(24);
    expect(minutes(2000, { load: 0 })).toBeLessThan(1);
    expect(240 * paceFor(sizesOf(960), { load: 0 })).toBeCloseTo(7000);
  });

  it("a day that had to wait makes the next ones slower", () => {
    const sizes = sizesOf(10_000);
    expect(paceFor(sizes, { load: 0 })).toBe(9);
    expect(paceFor(sizes, { load: 1 })).toBe(18);
    expect(paceFor(sizes, { load: 0, needed: 25 })).toBe(25);
    expect(paceFor(sizes, { load: 0, needed: 5 })).toBe(9);
  });
});
