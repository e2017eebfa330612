import { describe, expect, it } from "vitest";
import { parseMetrics } from "../../../support/inspect/prometheus.ts";

const good = "# HELP a_total h\n# TYPE a_total counter\na_total 1\n";
const bucket = (le: string, count: number) => `b_bucket{le="${le}"} ${count}\n`;
const histogram = (...buckets: string[]) =>
  `# HELP b h\n# TYPE b histogram\n${buckets.join("")}b_sum 1\nb_count 2\n`;

describe("the reader of metrics in tests", () => {
  it("the reader of metrics refuses what Prometheus does not read", () => {
    expect(parseMetrics(good).get("a_total")?.samples).toHaveLength(1);
    parseMetrics(histogram(bucket("1", 1), bucket("+Inf", 2)));
    for (const [bad, why] of [
      ["a_total 1\n", "without its type"],
      [good.trimEnd(), "no end"],
      [good + good, "twice"],
      [`${good}a_total 2\n`, "a series comes twice"],
      [good.replaceAll("a_total", "a"), "without _total"],
      [good.replace("a_total 1", 'a_total{x="1} 1'), "no sample"],
      [good.replace("a_total 1", "a_total one"), "no sample"],
      [good.replaceAll("a_total", "a_ms_total"), "no base unit"],
      [histogram(bucket("1", 2), bucket("+Inf", 1)), "not cumulative"],
      [histogram(bucket("1", 1)), "+Inf"],
      [histogram(bucket("2", 0), bucket("1", 1), bucket("+Inf", 2)), "out of order"],
      [histogram(bucket("1", 1), bucket("+Inf", 3)), "counts otherwise"],
    ] as const)
      expect(() => parseMetrics(bad)).toThrow(why);
  });
});
