import { quantile } from "../bench/load.ts";
import { hour } from "./rhythm.ts";

interface HourTally {
  counts: Record<string, number>;
  times: Record<string, number[]>;
}

/** Names of errors that are kept as examples. */
const errorsKept = 8;

/** What happened in each hour of a day: how often, and how long it took. */
export class Tally {
  readonly #hours: HourTally[] = Array.from({ length: 24 }, () => ({ counts: {}, times: {} }));
  readonly #passed: () => number;
  readonly errors: string[] = [];

  /** `passed`: milliseconds since midnight. */
  constructor(passed: () => number) {
    this.#passed = passed;
  }

  count(name: string, by = 1, at = this.#passed()): void {
    const { counts } = this.#of(at);
    counts[name] = (counts[name] ?? 0) + by;
  }

  time(name: string, milliseconds: number, at = this.#passed()): void {
    const { times } = this.#of(at);
    (times[name] ??= []).push(milliseconds);
  }

  fail(error: unknown): void {
    this.count("errors");
    if (this.errors.length < errorsKept) this.errors.push(String(error));
  }

  /** One number for each hour. */
  counts(name: string): number[] {
    return this.#hours.map(({ counts }) => counts[name] ?? 0);
  }

  sum(name: string): number {
    return this.counts(name).reduce((sum, count) => sum + count, 0);
  }

  /** Undefined for an hour in which nothing was timed. */
  quantiles(name: string, q: number): (number | undefined)[] {
    return this.#hours.map(({ times }) => {
      const all = times[name];
      return all === undefined ? undefined : quantile(all, q);
    });
  }

  /** Of the whole day; undefined if nothing was timed. */
  quantile(name: string, q: number): number | undefined {
    const all = this.#hours.flatMap(({ times }) => times[name] ?? []);
    return all.length === 0 ? undefined : quantile(all, q);
  }

  /** How many were timed. */
  timed(name: string): number {
    return this.#hours.reduce((sum, { times }) => sum + (times[name]?.length ?? 0), 0);
  }

  /** Answers that should not be, and how often there were some: "page answered 503: 7". */
  unexpected(): string[] {
    const names = this.#hours.flatMap(({ counts }) => Object.keys(counts));
    const strange = [...new Set(names)].filter((name) => /answered|errors|lost/.test(name));
    return strange.map((name) => `${name}: ${this.sum(name)}`);
  }

  #of(at: number): HourTally {
    const nth = Math.min(23, Math.max(0, Math.floor(at / hour)));
    return this.#hours[nth] as HourTally;
  }
}
