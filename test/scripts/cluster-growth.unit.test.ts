import { expect, it } from "vitest";
import { growthTable } from "../../scripts/bench/cluster-growth.ts";

const costs = (redisMsPer10000: number, workerMsPer10000: number) => ({
  redisMsPer10000,
  workerMsPer10000,
});

it("the table of clusters counts a call more for each primary that a fan-out reaches", () => {
  const growing = { ...costs(40, 3), few: costs(50, 10) };
  const table = growthTable({
    followers: 42_000,
    single: growing,
    primaries: { "1": growing, "6": { ...costs(40, 3), few: costs(100, 20) } },
  });
  const rows = new Map(table.split("\n").map((line) => [line.split(" | ")[0], line.split(" | ")]));
  // Half of a core of each primary: 40 ms for 10,000 are 125,000 a second.
  expect(rows.get("| 1")?.slice(1, 6)).toEqual(["40", "1.00", "3.0", "130,000", "1"]);
  const few = [1, 6, 8, 16, 64].map((primaries) => Number(rows.get(`| ${primaries}`)?.[6]));
  expect(few).toEqual([50, 100, 120, 200, 620]);
});
