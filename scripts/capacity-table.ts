import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Growth, growthTable } from "./bench/cluster-growth.ts";

/**
 * `npm run -s bench -- memory cluster --json > figures.json`, then `npx tsx scripts/capacity-table.ts figures.json`:
 * writes the tables of docs/scaling.md from what was measured, of one or both. The first counts every kind of key.
 */

const guide = new URL("../docs/scaling.md", import.meta.url);
/** A table is between its marker and the end. */
const markers = {
  memory: "<!-- made by scripts/capacity-table.ts -->\n\n",
  cluster: "<!-- made by scripts/capacity-table.ts of the bench cluster -->\n\n",
};
const end = "\n\n<!-- end -->";

/** What `npm run bench -- memory` measured. */
export interface Figures {
  bytesEnglishTweet: number;
  bytesJapaneseTweet: number;
  bytesFullHome: number;
  bytesFollow: number;
  bytesUser: number;
  bytesNotification: number;
}

/** Habits of an active user. docs/scaling.md names them. */
const active = 1 / 3;
const tweetsADay = 2;
const days = 730;
const followers = 150;
const notifications = 1000;
const pagesADay = 20;
const busiest = 3;
const secondsADay = 86_400;
const gigabytesAShard = 20;
const pagesAProcess = 500;

export function capacityTable(figures: Figures): string {
  const head =
    "people|homes|users|follows|notifications|tweets of 2 years (English / Japanese)|all";
  const rest = "deliveries/s, busiest|pages/s, busiest|shards|web processes";
  const columns = `${head}|${rest}`.split("|");
  const rows = [10_000, 1_000_000, 10_000_000].map((people) => row(people, figures));
  const lines = [columns, columns.map(() => "---"), ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function row(people: number, figures: Figures): string[] {
  const actives = people * active;
  const homes = actives * figures.bytesFullHome;
  const users = people * figures.bytesUser;
  const follows = actives * followers * figures.bytesFollow;
  const notices = actives * notifications * figures.bytesNotification;
  const tweets = [figures.bytesEnglishTweet, figures.bytesJapaneseTweet].map(
    (bytes) => actives * tweetsADay * days * bytes,
  );
  const all = tweets.map((bytes) => bytes + homes + users + follows + notices);
  const perSecond = (actives / secondsADay) * busiest;
  const shards = all.map((bytes) => String(Math.ceil(bytes / 1e9 / gigabytesAShard)));
  const pages = perSecond * pagesADay;
  return [
    people.toLocaleString("en"),
    ...[homes, users, follows, notices].map(gigabytes),
    tweets.map(gigabytes).join(" / "),
    all.map(gigabytes).join(" / "),
    rounded(perSecond * tweetsADay * followers * active),
    rounded(pages),
    shards.join(" / "),
    String(Math.ceil(pages / pagesAProcess)),
  ];
}

function gigabytes(bytes: number): string {
  return `${rounded(bytes / 1e9)} GB`;
}

/** To two digits. */
function rounded(value: number): string {
  return Number(value.toPrecision(2)).toLocaleString("en");
}

function replaceTable(text: string, marker: string, table: string): string {
  const start = text.indexOf(marker) + marker.length;
  return text.slice(0, start) + table + text.slice(text.indexOf(end, start));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { memory, cluster } = JSON.parse(readFileSync(process.argv[2] ?? 0, "utf8")) as {
    memory?: Figures;
    cluster?: Growth;
  };
  let text = readFileSync(guide, "utf8");
  if (memory !== undefined) text = replaceTable(text, markers.memory, capacityTable(memory));
  if (cluster !== undefined) text = replaceTable(text, markers.cluster, growthTable(cluster));
  writeFileSync(guide, text);
}
