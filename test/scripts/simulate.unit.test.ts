import { describe, expect, it } from "vitest";
import { limitsAt } from "../../scripts/simulate/limits.ts";
import { bytesInGuide, predict } from "../../scripts/simulate/model.ts";
import { outage, planDay, watchedShareOf } from "../../scripts/simulate/plan.ts";
import { paretoOf, randomFrom, Ranks } from "../../scripts/simulate/random.ts";
import { busiest, day, hour, momentOf } from "../../scripts/simulate/rhythm.ts";
import { type Chart, drawChart, shortNumber } from "../../scripts/simulate/svg.ts";
import { Tally } from "../../scripts/simulate/tally.ts";
import { celebrity, drawTown, isActive } from "../../scripts/simulate/town.ts";
import { parseLimitSettings } from "../../src/domain/limits.ts";
import { all, parseXml } from "../support/inspect/xml.ts";

const draw = (seed: number) => numbers(5).map(randomFrom(seed));
const plan = (people: number) => planDay(drawTown(people, 1), 1);
const sized = (people: number, bytes: number) => ({ people, values: { bytes } });
const numbers = (count: number) => Array.from({ length: count }, (_, nth) => nth);

describe("a simulated town", () => {
  it("the same seed gives the same numbers, another seed others", () => {
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
    expect(draw(7).every((one) => one >= 0 && one < 1)).toBe(true);
  });

  it("ranks are drawn by a power law", () => {
    const [ranks, random] = [new Ranks(1000, 1), randomFrom(1)];
    const counts = numbers(1000).fill(0);
    for (let nth = 0; nth < 200_000; nth += 1) {
      const rank = ranks.draw(random());
      counts[rank] = (counts[rank] ?? 0) + 1;
    }
    // A hundred times the rank, a hundredth of the draws.
    const tenth = counts.slice(5, 15).reduce((sum, count) => sum + count, 0);
    const thousandth = counts.slice(500).reduce((sum, count) => sum + count, 0);
    expect((counts[0] ?? 0) / (tenth / 10)).toBeGreaterThan(8);
    expect((counts[0] ?? 0) / (thousandth / 500)).toBeGreaterThan(400);
    expect([ranks.draw(0), ranks.draw(1)]).toEqual([0, 999]);
  });

  it("a power law has its least, its most and its mean", () => {
    const law = { least: 8, steepness: 2, most: 300 };
    const values = numbers(10_000).map((nth) => paretoOf(nth / 10_000, law));
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    expect([Math.min(...values), Math.max(...values)]).toEqual([8, 300]);
    expect(Math.round(mean)).toBeGreaterThanOrEqual(14);
    expect(Math.round(mean)).toBeLessThanOrEqual(16);
  });

  it("nobody follows themselves or the same person twice, and the celebrity has the most followers", () => {
    const town = drawTown(600, 3);
    for (const [person, followed] of town.followings.entries()) {
      expect(new Set(followed).size).toBe(followed.length);
      expect(followed).not.toContain(person);
    }
    expect(Math.max(...town.activeFollowers)).toBe(town.activeFollowers[celebrity]);
    const last = town.lastFollower[celebrity] ?? -1;
    expect(town.followings[last]).toContain(celebrity);
    expect(isActive(last)).toBe(true);
  });
});

describe("a simulated day", () => {
  it("its moments are in the hours in which people are awake, most in the evening", () => {
    const hours = numbers(24).fill(0);
    for (const nth of numbers(10_000)) {
      const at = Math.floor(momentOf(nth / 10_000) / hour);
      hours[at] = (hours[at] ?? 0) + 1;
    }
    expect(hours.reduce((sum, count) => sum + count, 0)).toBe(10_000);
    expect(hours[20]).toBeGreaterThanOrEqual(Math.max(...hours) - 1);
    expect((hours[20] ?? 0) / (10_000 / 24)).toBeCloseTo(busiest, 1);
    expect(hours[20]).toBeGreaterThan(10 * (hours[4] ?? 0));
    expect(momentOf(1)).toBeLessThan(day);
  });

  it("the plan is the same for the same seed, is in order, and grows with the people", () => {
    const steps = plan(600);
    expect(plan(600)).toEqual(steps);
    expect(steps.every(({ at }, nth) => at >= (steps[nth - 1]?.at ?? 0) && at < day)).toBe(true);
    const count = (kind: string, of = steps) => of.filter((step) => step.kind === kind).length;
    const larger = plan(2400);
    expect(count("visit", larger) / count("visit")).toBeCloseTo(4, 0);
    expect(count("post", larger) / count("post")).toBeCloseTo(4, 0);
    expect(count("spam", larger)).toBe(count("spam"));
    // What people do hardly depends on chance.
    const fond = steps.filter(({ luck }) => luck < 0.25).length;
    expect(fond / steps.length).toBeCloseTo(0.25, 2);
    const returns = steps.filter(({ kind }) => kind === "return");
    expect(returns.length).toBeGreaterThan(10);
    expect(Math.min(...returns.map(({ at }) => at))).toBeGreaterThan(outage.until);
  });

  it("some two thousand tweets are followed to the last home timeline, of a large site a tenth", () => {
    expect(watchedShareOf(2000)).toBe(1);
    const share = watchedShareOf(12_000);
    expect(share * plan(12_000).filter(({ kind }) => kind === "post").length).toBeCloseTo(2000, -3);
    expect(watchedShareOf(100_000)).toBe(0.1);
  });

  it("limits keep their points in windows as much shorter as the day is", () => {
    const real = limitsAt(1);
    expect(real["LIMIT_TWEETS"]).toBe("300/10800s,1500/10800s");
    expect(limitsAt(100)["LIMIT_TWEETS"]).toBe("300/108s,1500/108s");
    // No window is shorter than a second: then there are more points.
    expect(limitsAt(1000)["LIMIT_READS"]).toBe("1000/1s,1000/1s");
    expect(parseLimitSettings(limitsAt(5000)).complaints).toEqual([]);
  });

  it("a tally has counts by hour, and quantiles of what was timed", () => {
    let passed = 0;
    const tally = new Tally(() => passed);
    tally.count("pages");
    passed = 3.5 * hour;
    tally.count("pages", 2);
    for (const time of numbers(100)) tally.time("page", time);
    expect(tally.sum("pages")).toBe(3);
    expect(tally.counts("pages").slice(0, 4)).toEqual([1, 0, 0, 2]);
    expect(tally.quantiles("page", 0.5).slice(2, 4)).toEqual([undefined, 50]);
    expect(tally.quantile("page", 0.99)).toBe(99);
    expect(tally.quantile("nothing", 0.5)).toBeUndefined();
  });
});

describe("the model", () => {
  it("two sizes predict a third that grows with the people", () => {
    const [exact] = predict(sized(100, 1200), sized(200, 2200), sized(800, 8200));
    expect(exact).toMatchObject({ each: 10, fixed: 200, predicted: 8200, error: 0 });
    const [tooFar] = predict(sized(100, 1200), sized(200, 2200), sized(800, 4100));
    expect(tooFar?.error).toBeCloseTo(1);
  });

  it("docs/scaling.md says what one of each takes", () => {
    const row = `| 1,000,000 | 1 GB | 0.5 GB | 2 GB | 10 GB | 200 GB / 390 GB | 1 GB |`;
    const bytes = bytesInGuide(`| people |\n${row}\n`);
    expect(bytes["home"]).toBeCloseTo(3000);
    expect(bytes["person"]).toBeCloseTo(500);
    expect(bytes["follow"]).toBeCloseTo(40);
    expect(bytes["notification"]).toBeCloseTo(30);
    expect(Math.round(bytes["tweet"] ?? 0)).toBe(411);
  });
});

describe("a plot", () => {
  const chart: Chart = {
    title: 'Pages & "tweets" <b>',
    unit: "in an hour",
    labels: numbers(24).map((nth) => `${nth}:00`),
    series: [
      { name: "pages", values: numbers(24).map((nth) => 10 * nth) },
      { name: "tweets", values: numbers(24).map((nth) => (nth === 3 ? undefined : nth)) },
    ],
    kind: "lines",
    marks: [50],
  };

  it.each(["lines", "stacked", "bars"] as const)("%s are well-formed SVG", (kind) => {
    const svg = parseXml(drawChart({ ...chart, kind }));
    expect([svg.name, svg.space]).toEqual(["svg", "http://www.w3.org/2000/svg"]);
    expect(svg.attributes["aria-label"]).toBe(chart.title);
    expect(all(svg, "text").map(({ text }) => text)).toContain(chart.title);
    const names = new Set(svg.children.map(({ name }) => name));
    expect([...names].every((name) => ["rect", "line", "text", "polyline"].includes(name))).toBe(
      true,
    );
    expect(drawChart({ ...chart, kind })).not.toMatch(/NaN|Infinity|undefined/);
  });

  it.each([[], [0], [undefined], [3]])("a plot of %j has no broken numbers", (...values) => {
    for (const isLog of [false, true]) {
      const series = [{ name: "some", values }];
      const svg = drawChart({ ...chart, labels: values.map(String), series, marks: [], isLog });
      expect(svg).not.toMatch(/NaN|Infinity/);
      parseXml(svg);
    }
  });

  it("a logarithmic plot has a line for each power of ten", () => {
    const series = [{ name: "ms", values: [3, 40, 900] }];
    const svg = parseXml(drawChart({ ...chart, series, isLog: true, marks: [] }));
    const texts = all(svg, "text").map(({ text }) => text);
    expect(texts).toEqual(expect.arrayContaining(["1", "10", "100", "1,000"]));
  });

  it.each([
    [0, "0"],
    [7.25, "7.25"],
    [1234, "1,230"],
    [45_600, "45.6k"],
    [3_210_000, "3.21M"],
    [4.5e9, "4.5G"],
  ])("%d is written as %s", (value, text) => {
    expect(shortNumber(value)).toBe(text);
  });
});
