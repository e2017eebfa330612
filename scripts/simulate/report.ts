import { mkdir, readFile, writeFile } from "node:fs/promises";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { format } from "prettier";
import { chartsOf } from "./charts.ts";
import { night } from "./clock.ts";
import { type DayFigures, growthOf, sizedOf } from "./figures.ts";
import { bytesInGuide, predict, type Prediction, tolerance } from "./model.ts";
import { busiest, hour } from "./rhythm.ts";
import { drawChart, shortNumber } from "./svg.ts";

/** Load of the machine before the days: that of other programs. */
export const currentLoad = (): string => (loadavg()[0] ?? 0).toFixed(1);

/** Writes README.md and a plot for each chart; returns the predictions. `days`: three sizes, the largest last. */
export async function writeReport(
  folder: string,
  days: Readonly<Triple<DayFigures>>,
  loadBefore: string,
): Promise<Prediction[]> {
  const [first, second, third] = days.map(sizedOf) as Triple<ReturnType<typeof sizedOf>>;
  const predictions = predict(first, second, third);
  const charts = chartsOf(days, predictions);
  await mkdir(folder, { recursive: true });
  for (const [name, chart] of Object.entries(charts))
    await writeFile(join(folder, `${name}.svg`), drawChart(chart));
  const guide = await readFile(new URL("../../docs/scaling.md", import.meta.url), "utf8");
  const image = (name: string) => `![${charts[name]?.title ?? ""}](${name}.svg)`;
  const parts = [
    head(days, loadBefore),
    table(daysTable(days)),
    section("Load", [image("load"), image("followers"), loadWords(days[2])]),
    section("Deliveries", [image("deliveries"), image("delay"), delayWords(days[2])]),
    section("Pages", [image("pages"), image("page-times"), pageWords(days[2])]),
    section("The outage", [image("outage"), outageWords(days[2])]),
    section("The spammer", [image("spammer"), spamWords(days[2])]),
    section("Processor time", [image("processors")]),
    section("Memory", [
      image("memory"),
      table(bytesTable(days, guide)),
      bytesWords,
      table(kindsTable(days)),
    ]),
    section("The model", [image("model"), table(modelTable(predictions)), modelWords(days)]),
    troubles(days),
  ];
  const text = parts.filter((part) => part !== "").join("\n\n");
  await writeFile(
    join(folder, "README.md"),
    await format(text, { parser: "markdown", printWidth: 100 }),
  );
  return predictions;
}

type Triple<Item> = [Item, Item, Item];

const whole = (value: number) => Math.round(value).toLocaleString("en");
const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
const milliseconds = (value: number | undefined) =>
  value === undefined ? "–" : `${value < 10 ? value.toFixed(1) : whole(value)} ms`;
const section = (title: string, parts: string[]) => [`## ${title}`, ...parts].join("\n\n");
const table = ([columns = [], ...rows]: string[][]) =>
  [columns, columns.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");

function head(days: Readonly<Triple<DayFigures>>, loadBefore: string): string {
  const { people, seed } = days[2];
  const date = new Date().toISOString().slice(0, 10);
  const times = days.map(({ spent }) => spent.settle + spent.play + spent.measure);
  const minutes = times.reduce((sum, time) => sum + time, 0) / 60_000;
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, Node.js ${process.versions.node}`;
  return `# A simulated day of ${whole(people)} people

Made by \`npm run simulate -- --people ${people} --seed ${seed}\` on ${date}, in ${minutes.toFixed(1)} minutes.
Machine: ${machine}. Load when it began: ${loadBefore}, when it ended: ${currentLoad()}.

Accounts, tweets, likes, follows and deliveries are made by the site's own functions, pages and answers to apps by its two
web processes, deliveries by its worker, all on a private Redis. Their clock is that of the simulated day, which waits while the
machine is behind; delays and times of pages are real ones. From ${night.from / hour}:00 to ${night.until / hour}:00, when little
happens, it is ${night.faster} times as fast. The windows of limits are as much shorter as the day. A web process
drops a key that was not read for an hour of the day. People, follows and steps are
the same for the same seed.`;
}

function daysTable(days: readonly DayFigures[]): string[][] {
  const rows: [string, (figures: DayFigures) => string][] = [
    ["set-up, and the evening before", ({ spent }) => `${whole(spent.settle / 1000)} s`],
    ["the day took", ({ spent }) => `${whole(spent.play / 1000)} s`],
    ["of that the clock waited", ({ spent }) => `${whole(spent.waited / 1000)} s`],
    ["last deliveries, and measuring", ({ spent }) => `${whole(spent.measure / 1000)} s`],
    ["pages", ({ tally }) => whole(tally.sum("pages"))],
    ["answers to apps", ({ tally }) => whole(tally.sum("polls"))],
    [
      "tweets, replies, retweets",
      ({ tally }) =>
        ["tweets", "replies", "retweets"].map((name) => whole(tally.sum(name))).join(", "),
    ],
    ["likes", ({ tally }) => whole(tally.sum("likes"))],
    ["deliveries", ({ tally }) => whole(tally.sum("deliveries"))],
    ["events on streams of apps", ({ tally }) => whole(tally.sum("streamed"))],
    [
      "POST to last home timeline, p50 and p99",
      ({ tally }) => bothOf((q) => tally.quantile("delay", q)),
    ],
    ["a page, p50 and p99", ({ tally }) => bothOf((q) => tally.quantile("page", q))],
    ["home timelines made anew", ({ tally }) => whole(tally.sum("rebuilt"))],
    ["tries of the spammer refused", ({ tally }) => whole(tally.sum("spam refused"))],
    [
      "seconds of a processor: web, worker, Redis, people",
      ({ tally }) =>
        ["web", "worker", "Redis", "people"]
          .map((name) => whole(tally.sum(`cpu ${name}`)))
          .join(", "),
    ],
  ];
  return [
    ["people", ...days.map(({ people }) => whole(people))],
    ...rows.map(([name, valueOf]) => [name, ...days.map(valueOf)]),
  ];
}

const bothOf = (valueOf: (q: number) => number | undefined) =>
  [0.5, 0.99].map((q) => milliseconds(valueOf(q))).join(", ");

function loadWords({ tally, town }: DayFigures): string {
  return `A third of the people is active. Activity and popularity follow power laws: person 1 has ${whole(town.activeFollowers[0] ?? 0)} active followers. The busiest hour has ${busiest.toFixed(1)} times the average, and at 20:00 the celebrity tweets: one in ten of the active followers comes because of it. ${whole(tally.sum("polls"))} requests are of apps that ask every quarter of an hour, and ${whole(tally.sum("streamed"))} events went to apps that listen.`;
}

function delayWords({ tally }: DayFigures): string {
  const lost = tally.sum("lost");
  return `Apps post ${whole(tally.timed("delay"))} of the tweets; these are looked for in the home timeline of the active follower who gets them last, every 4 ms at first, later after a sixteenth of the time that has passed. Lost: ${lost}. p99 has the celebrity's tweets, and what the machine did beside it.`;
}

function pageWords({ tally }: DayFigures): string {
  const [kept, remade, full] = ["pages kept", "pages remade", "pages in full"].map((name) =>
    tally.sum(name),
  ) as Triple<number>;
  const all = kept + remade + full || 1;
  return `Of ${whole(all)} answers ${percent(kept / all)} were sent again as they were, ${percent(remade / all)} were made anew but for their frame, ${percent(full / all)} in full. People come back to news, so few pages are as they were.`;
}

function outageWords({ tally }: DayFigures): string {
  return `At 13:00 the web processes are killed, and started anew at 13:40 with an empty memory. ${whole(tally.sum("found closed"))} steps failed; ${whole(tally.sum("came back"))} people return within ten minutes, and one in twenty of those who have been away for months within half an hour. The ${whole(tally.sum("rebuilt"))} home timelines of these had expired and were made anew by their first page: ${bothOf((q) => tally.quantile("rebuild", q))} (p50, p99).`;
}

function spamWords({ tally }: DayFigures): string {
  const of = (verb: string) =>
    ["accepted", "refused", "failed"].map((outcome) => tally.sum(`spam ${verb} ${outcome}`));
  const rows = (["tweet", "follow", "like"] as const).map((verb) => [verb, ...of(verb).map(whole)]);
  const words =
    "A new account mentions strangers, follows and likes every minute from 10:00 to 18:00, and meets the limits of an account on its first day. While the clock of the day waits, the windows of the limits do not: then fewer tries are refused. Failed: during the outage, and likes of what is gone.";
  return `${words}\n\n${table([["tries", "accepted", "refused", "failed"], ...rows])}`;
}

function bytesTable(days: readonly DayFigures[], guide: string): string[][] {
  const inGuide = bytesInGuide(guide);
  const names = {
    tweet: "tweet, with all it leaves",
    person: "account",
    follow: "follow",
    home: "home timeline",
    notification: "notification",
  } as const;
  const rows = (Object.keys(names) as (keyof typeof names)[]).map((name) => [
    names[name],
    ...days.map(({ site }) => whole(site.bytes[name] / Math.max(1, site.counts[name]))),
    whole(inGuide[name] ?? 0),
  ]);
  const columns = days.map(({ people }) => `${whole(people)} people`);
  return [["bytes of a", ...columns, "docs/scaling.md"], ...rows];
}

const kindsShown = 15;

/** Memory by kind of key, the largest of the largest site. */
function kindsTable(days: readonly DayFigures[]): string[][] {
  const largest = days.at(-1)?.site.kinds.slice(0, kindsShown) ?? [];
  const rows = largest.map(({ name, grows }) => {
    const cells = days.map(({ site }) => {
      const kind = site.kinds.find((one) => one.name === name);
      return `${shortNumber(kind?.bytes ?? 0)} in ${shortNumber(kind?.keys ?? 0)}`;
    });
    return [`\`${name}\``, growthOf({ name, grows }), ...cells];
  });
  return [["bytes in keys", "grows with", ...days.map(({ people }) => whole(people))], ...rows];
}

const bytesWords =
  "docs/scaling.md counts full home timelines, lists of 150 followers and 1,000 notifications. In shorter lists each entry costs more, and a home timeline of one day less. A quarter of the tweets is Japanese. Bounded are the queues, and the search lists of the newest tweets, at most 511, until a chore seals them: a tweet has its share of what is sealed all the same.";

function modelTable(predictions: Prediction[]): string[][] {
  const rows = predictions.map(({ name, each, fixed, predicted, measured, error }) => [
    name,
    shortNumber(each),
    shortNumber(fixed),
    shortNumber(predicted),
    shortNumber(measured),
    `${error > 0 ? "+" : ""}${percent(error)}${Math.abs(error) > tolerance ? ", **too far**" : ""}`,
  ]);
  return [["quantity", "a person", "fixed", "predicted", "measured", "error"], ...rows];
}

function modelWords(days: readonly DayFigures[]): string {
  const [first, second, third] = days.map(({ people }) => whole(people));
  return `The model: a share of each person, and a fixed part. Both are taken from ${first} and ${second} people; the prediction is of ${third}. Bytes and seconds of processor time, counted from midnight, in processes that have worked in the evening before; that of the start after the outage is left out. Wanted: an error of at most ${percent(tolerance)}.`;
}

function troubles(days: readonly DayFigures[]): string {
  const lines = days.flatMap(({ people, tally, cut }) => [
    ...(cut === undefined ? [] : [`${whole(people)} people: the time was over at ${cut}:00`]),
    ...tally.errors.map((error) => `${whole(people)} people: ${error}`),
    ...tally.unexpected().map((line) => `${whole(people)} people: ${line}`),
  ]);
  if (lines.length === 0) return "";
  return section("What went wrong", [lines.map((line) => `- ${line}`).join("\n")]);
}
