import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { addressOf, Browser } from "./lab/browser.ts";
import { checkDoctor } from "./lab/doctor.ts";
import type { Drill } from "./lab/drill.ts";
import { inside, makePeople, type Person, untilIdle } from "./lab/inside.ts";
import type { Lab } from "./lab/lab.ts";
import { inLanes } from "./lab/lanes.ts";
import type { SiteProcess } from "./lab/site.ts";
import { type WritePath, writePaths } from "./lab/write-paths.ts";

const hook = fileURLToPath(new URL("faults/mortal-requests.mjs", import.meta.url));
/** No path says more to Redis than this. */
const mostRounds = 150;
/** A request at its end waits for ever, so a process serves several rounds before it is killed. */
const roundsOfAProcess = 5;

/** The name of a sign-up that was cut off is free again after 15 s. */
const lapsed = () => sleep(16_000);
const endsSessions = new Set(["password", "log-out", "erase"]);

export const webKilledAnywhere: Drill = {
  number: 3,
  name: "web-killed-anywhere",
  fault: "kill -9 web between every two Redis commands of each write path",
  passes: "promise holds at each point: whole or not at all, and it can be sent again",
  seconds: 240,
  run,
};

/** A form that was sent once, and whether it was acknowledged before the kill. */
interface Case extends WritePath {
  last: number;
  acknowledged: boolean;
}

async function run(lab: Lab): Promise<void> {
  const { report } = lab;
  report.answers.tolerated.add("reset");
  report.answers.limit = 10_000;
  const redis = await lab.redis();
  const ctx = await inside(lab, [redis.url]);
  lab.worker(redis.url);
  const [star, fan, ...others] = (await makePeople(ctx, "cast", 6)) as [
    Person,
    Person,
    ...Person[],
  ];
  const start = () => lab.web(redis.url, { nodeArgs: ["--import", hook] });
  const door = { url: "" };
  const open = (nth: number) => new Browser(door, report.answers, addressOf(nth));
  const cases: Case[] = [];
  const reached = new Map<string, number>();
  let left = 1;
  let next = start();
  let web: SiteProcess | undefined;
  for (let last = 1; last < mostRounds && !lab.ended.aborted; last += 1) {
    if (last % roundsOfAProcess === 1) {
      await web?.process.kill();
      web = await next;
      next = start();
      door.url = web.url;
    }
    const paths = await writePaths(ctx, { star, fan, others }, last, open);
    const unfinished = paths.filter(({ name }) => !reached.has(name));
    left = unfinished.length;
    if (left === 0) break;
    cases.push(...(await Promise.all(unfinished.map((path) => sendMortally(path, last)))));
    lab.say(`${last - 1} commands: ${unfinished.length} paths`);
    for (const { name, acknowledged } of cases.slice(-unfinished.length))
      if (acknowledged) reached.set(name, last);
  }
  report.expect(left === 0, "a write path says more to Redis than the drill follows");
  await web?.process.kill();
  door.url = (await next).url;
  report.load = `${cases.length} kills or answers, ${[...reached].map(([name, count]) => `${name} ${count - 1}`).join(", ")} commands`;
  report.acknowledged = cases.filter(({ acknowledged }) => acknowledged).length;
  await Promise.all([untilIdle(ctx), lapsed()]);
  await inLanes(cases, 4, (one) => checkWhole(lab, one));
  await inLanes(cases, 4, (one) => again(one));
  await untilIdle(ctx);
  await inLanes(cases, 4, (one) => checkDone(lab, one));
  await checkDoctor(lab, redis.url);
}

async function sendMortally(path: WritePath, last: number): Promise<Case> {
  const headers = { "X-Drill-Last": String(last) };
  // Whether they are still signed in after this, they do not know.
  if (endsSessions.has(path.name)) path.browser.viewer = undefined;
  const { status } = await path.browser.post(path.path, path.fields, headers);
  return { ...path, last, acknowledged: status === 303 };
}

async function checkWhole({ report }: Lab, one: Case): Promise<void> {
  const ends = await one.ends();
  const what = `${one.name}, after ${one.last} commands: ${ends.join(", ")}`;
  report.expect(new Set(ends).size <= 1, "half an act", what);
  if (!one.acknowledged || ends.every(Boolean)) return;
  report.lost += 1;
  report.problem("an acknowledged act is lost", what);
}

/** As a user would who got no answer. */
async function again({ acknowledged, browser, path, fields }: Case): Promise<void> {
  if (!acknowledged) await browser.post(path, fields);
}

async function checkDone({ report }: Lab, one: Case): Promise<void> {
  const ends = await one.ends();
  const what = `${one.name}, after ${one.last} commands: ${ends.join(", ")}`;
  report.expect(ends.every(Boolean), "sent again, an act is not done", what);
  if (one.works === undefined || !ends.every(Boolean)) return;
  report.expect(await one.works(), "an act that is done does not work", what);
}
