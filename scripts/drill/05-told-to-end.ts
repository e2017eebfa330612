import { setTimeout as sleep } from "node:timers/promises";
import type { Door } from "./lab/browser.ts";
import type { Drill } from "./lab/drill.ts";
import { inside } from "./lab/inside.ts";
import type { Lab } from "./lab/lab.ts";
import { Load } from "./lab/load.ts";
import type { SiteProcess } from "./lab/site.ts";
import { type Stream, openStream } from "./lab/stream.ts";
import { checkAll } from "./lab/verdict.ts";

const users = 50;
const streams = 20;
const rounds = 3;
/** How often the load balancer of the drill asks /readyz. */
const balanceMilliseconds = 250;

export const toldToEnd: Drill = {
  number: 5,
  name: "told-to-end",
  fault: `SIGTERM with ${users} requests in flight and ${streams} open streams, ${rounds} times`,
  passes: "0 resets, exit < 25 s, jobs finish",
  seconds: 100,
  run,
};

async function run(lab: Lab): Promise<void> {
  const { report } = lab;
  const redis = await lab.redis();
  const ctx = await inside(lab, [redis.url]);
  const start = () => lab.web(redis.url, { env: { INLINE_WORKER: "true" } });
  let web = await start();
  const door: Door = { url: web.url };
  const load = await Load.prepare(lab, door, ctx, { users, following: 6, pause: 800 });
  report.load += `, ${streams} streams; a load balancer that asks /readyz every ${balanceMilliseconds} ms`;
  load.start();
  // Nothing is wrong with Redis: how fast it answers is not the question, only that it does.
  report.answers.limit = 10_000;
  let longest = 0;
  for (let round = 0; round < rounds; round += 1) {
    const next = await start();
    const opened = load.users
      .slice(0, streams)
      .map(({ browser }) => openStream(door.url, browser.headers));
    await load.during(2000);
    await inFlight(load);
    longest = Math.max(longest, await end(lab, door, web, next));
    await checkStreams(lab, opened);
    web = next;
  }
  await load.stop();
  report.notes.push(`exit within ${(longest / 1000).toFixed(1)} s of SIGTERM`);
  await checkAll(lab, ctx, load, { redisUrl: redis.url });
}

/** These requests are on their way, some of them not yet read by the site. */
async function inFlight({ scout }: Load): Promise<void> {
  void Promise.all(Array.from({ length: users }, () => scout.browser.get("/")));
  await sleep(5);
}

/** Milliseconds until the process has ended. Requests go to it until /readyz says no. */
async function end(lab: Lab, door: Door, web: SiteProcess, next: SiteProcess): Promise<number> {
  const began = performance.now();
  web.process.signal("SIGTERM");
  while (door.url === web.url) {
    await sleep(balanceMilliseconds);
    const answer = await fetch(`${web.url}/readyz`).catch(() => undefined);
    await answer?.text().catch(() => "");
    if (answer?.status !== 200) door.url = next.url;
  }
  const code = await web.process.ended();
  const took = performance.now() - began;
  lab.report.expect(code === 0, "it did not exit with 0", String(code));
  lab.report.expect(took < 25_000, "it took longer than 25 s to exit");
  return took;
}

async function checkStreams({ report }: Lab, opened: Promise<Stream>[]): Promise<void> {
  for (const stream of await Promise.all(opened)) {
    const outcome = await stream.ended;
    report.expect(outcome === "complete", `a stream was ${outcome}`);
  }
}
