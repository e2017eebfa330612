import type { DayFigures } from "./figures.ts";
import { type Prediction, tolerance } from "./model.ts";
import { outage } from "./plan.ts";
import { hour } from "./rhythm.ts";
import type { Chart } from "./svg.ts";

const hours = Array.from({ length: 24 }, (_, nth) => `${nth}:00`);

/** All charts of a report by the name of their file. `days`: from the smallest site to the largest, which most are of. */
export function chartsOf(
  days: readonly DayFigures[],
  predictions: Prediction[],
): Record<string, Chart> {
  const largest = days.at(-1);
  if (largest === undefined) return {};
  const { tally } = largest;
  const counted = (names: Record<string, string>) =>
    Object.entries(names).map(([name, counter]) => ({ name, values: tally.counts(counter) }));
  const timed = (timer: string) =>
    [0.5, 0.99].map((q) => ({
      name: q === 0.5 ? "p50" : "p99",
      values: tally.quantiles(timer, q),
    }));
  return {
    followers: followersChart(largest),
    load: byHour(
      "What people do",
      "in an hour",
      "lines",
      counted({ pages: "pages", "asked by apps": "polls", tweets: "tweets", likes: "likes" }),
    ),
    deliveries: byHour(
      "Tweets that reached home timelines",
      "deliveries in an hour",
      "bars",
      counted({ deliveries: "deliveries" }),
    ),
    delay: {
      ...byHour("From POST to the last home timeline", "ms", "lines", timed("delay")),
      isLog: true,
    },
    pages: byHour(
      "Pages and answers to apps",
      "in an hour",
      "stacked",
      counted({
        "sent again as they were": "pages kept",
        "made anew but for the frame": "pages remade",
        "made in full": "pages in full",
      }),
    ),
    "page-times": {
      ...byHour("Time of a page", "ms", "lines", timed("page")),
      isLog: true,
    },
    memory: memoryChart(days),
    outage: around(
      outage.from / hour,
      byHour(
        "The outage, and the crowd after it",
        "people in an hour",
        "bars",
        counted({
          "found the site closed": "found closed",
          "came back": "came back",
          "home timelines made anew": "rebuilt",
        }),
      ),
    ),
    spammer: byHour(
      "The spammer",
      "tries in an hour",
      "stacked",
      counted({ accepted: "spam accepted", refused: "spam refused" }),
    ),
    processors: byHour(
      "Processor time",
      "seconds in an hour of the day",
      "lines",
      counted({ web: "cpu web", worker: "cpu worker", Redis: "cpu Redis" }),
    ),
    model: {
      title: "Predicted from the two smaller sites, as a share of what was measured",
      unit: `wanted: ${1 - tolerance} to ${1 + tolerance}`,
      labels: predictions.map(({ name }) => name.split(",")[0] ?? ""),
      series: [{ name: "predicted / measured", values: predictions.map(({ error }) => 1 + error) }],
      kind: "bars",
      marks: [1 - tolerance, 1 + tolerance],
    },
  };
}

/** Of the hours near one. */
function around(nth: number, chart: Chart): Chart {
  const near = <Item>(all: Item[]) => all.slice(nth - 2, nth + 5);
  const series = chart.series.map(({ name, values }) => ({ name, values: near(values) }));
  return { ...chart, labels: near(chart.labels), series };
}

function byHour(title: string, unit: string, kind: Chart["kind"], series: Chart["series"]): Chart {
  return { title, unit, kind, series, labels: hours };
}

/** Ranks at equal distances of their logarithm. */
function followersChart({ town }: DayFigures): Chart {
  const sorted = [...town.activeFollowers].toSorted((one, other) => other - one);
  const ranks = [
    ...new Set(Array.from({ length: 40 }, (_, nth) => Math.floor(town.people ** (nth / 40)))),
  ];
  return {
    title: "Active followers, by rank",
    unit: "followers",
    labels: ranks.map((rank) => rank.toLocaleString("en")),
    series: [{ name: "followers", values: ranks.map((rank) => sorted[rank - 1]) }],
    kind: "lines",
    isLog: true,
  };
}

function memoryChart(days: readonly DayFigures[]): Chart {
  const names = {
    tweet: "tweets",
    person: "accounts",
    follow: "follows",
    home: "home timelines",
    notification: "notifications",
    bounded: "queues, open lists",
  } as const;
  return {
    title: "Memory at the end of the day, for each person",
    unit: "bytes",
    labels: days.map(({ people }) => `${people.toLocaleString("en")} people`),
    series: Object.entries(names).map(([grows, name]) => ({
      name,
      values: days.map(({ site, people }) => site.bytes[grows as keyof typeof names] / people),
    })),
    kind: "stacked",
  };
}
