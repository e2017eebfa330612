import { day, hour } from "./rhythm.ts";

/** Max real milliseconds of one step: a pause of the machine does not skip what was planned. */
const longestStep = 100;
/** In these hours little happens, and the clock goes so many times as fast. */
export const night = { from: hour, until: 6 * hour, faster: 3 };

/** The time of a simulated day: many times as fast as real time, most at night. It waits while the machine is behind. */
export class DayClock {
  readonly start: number;
  /** Simulated milliseconds in a real one, but for the night. */
  readonly pace: number;
  #passed = 0;
  #last = performance.now();
  #waited = 0;

  /** `start`: midnight, in milliseconds since 1970. `realMilliseconds`: how long the day takes if nothing waits. */
  constructor(start: number, realMilliseconds: number) {
    this.start = start;
    const asleep = night.until - night.from;
    this.pace = (day - asleep + asleep / night.faster) / realMilliseconds;
  }

  /** Milliseconds since midnight. */
  get passed(): number {
    return this.#passed;
  }

  /** Real milliseconds that it waited. */
  get waited(): number {
    return this.#waited;
  }

  readonly now = (): number => Math.floor(this.start + this.#passed);

  advance(isBehind: boolean): void {
    const real = performance.now();
    const step = Math.min(real - this.#last, longestStep);
    this.#last = real;
    if (isBehind) this.#waited += step;
    else this.#passed = Math.min(day, this.#passed + step * this.pace * this.#haste);
  }

  get #haste(): number {
    return this.#passed >= night.from && this.#passed < night.until ? night.faster : 1;
  }
}
