import { join } from "node:path";
import { makeShim } from "./faults/shim.ts";
import type { Ctx } from "../../src/context.ts";
import { keys } from "../../src/redis/keys.ts";
import { addressOf, Browser } from "./lab/browser.ts";
import { type Drill, NotRun } from "./lab/drill.ts";
import { inside, password, type Person, untilIdle } from "./lab/inside.ts";
import type { Lab } from "./lab/lab.ts";
import { Load } from "./lab/load.ts";
import { readToEnd, tweetsOn } from "./lab/pages.ts";
import type { User } from "./lab/user.ts";
import { checkAll } from "./lab/verdict.ts";

const hour = 60 * 60 * 1000;
const day = 24 * hour;

/** Of the web process and of the worker, one after the other; both processes go on meanwhile. */
const steps = [
  { web: -hour, worker: 0 },
  { web: hour, worker: 0 },
  { web: 0, worker: -hour },
  { web: hour, worker: -hour },
  { web: -hour, worker: hour },
  { web: 0, worker: 0 },
];

/** The clock of each process is its own, and may be wrong or be set. */
export const wrongClocks: Drill = {
  number: 11,
  name: "wrong-clocks",
  fault: "clock an hour back, an hour forward, web and worker apart",
  passes:
    "ids unique; a new tweet is never below an older one for longer than the step; no ended session lives again",
  seconds: 150,
  run,
};

async function run(lab: Lab): Promise<void> {
  const { report } = lab;
  const shims = await Promise.all(
    ["web", "worker"].map((name) => makeShim(join(lab.folder, name))),
  );
  const [ofWeb, ofWorker] = shims;
  if (ofWeb === undefined || ofWorker === undefined)
    throw new NotRun("there is no C compiler for a wrong clock");
  const redis = await lab.redis();
  const ctx = await inside(lab, [redis.url]);
  lab.worker(redis.url, { env: ofWorker.env });
  const web = await lab.web(redis.url, { env: ofWeb.env });
  const load = await Load.prepare(lab, web, ctx, { users: 6, following: 5 });
  const [reader, ...authors] = load.users.slice(0, -1);
  if (reader === undefined) return;
  report.load = `${authors.length} users write in turn, ${steps.length} times`;
  const ended = await endedSession(lab, web, ctx, reader.person);

  const texts: string[] = [];
  for (const step of steps) {
    ofWeb.shiftClock(step.web);
    ofWorker.shiftClock(step.worker);
    lab.say(`web ${step.web / hour} h, worker ${step.worker / hour} h`);
    for (const author of authors) texts.unshift((await author.post()).text);
    await untilIdle(ctx);
    await checkOrder(lab, reader, texts);
    const { body } = await ended.get("/");
    report.expect(!body.includes('class="account-name"'), "a session that has ended lives again");
    await load.during(2000);
  }
  await load.stop();
  await checkAll(lab, ctx, load, { redisUrl: redis.url });
}

/** At home: newest first, in the order in which they were written. */
async function checkOrder({ report }: Lab, { browser }: User, texts: string[]): Promise<void> {
  const shown = (await readToEnd(browser, "/", tweetsOn)).map(({ text }) => text);
  const isInOrder =
    shown.length === texts.length && shown.every((text, nth) => text === texts[nth]);
  report.expect(isInOrder, "tweets are out of order", shown.slice(0, 12).join(", "));
}

/** A browser whose session's ninety days were over ten minutes ago. */
async function endedSession(lab: Lab, door: { url: string }, ctx: Ctx, user: Person) {
  const browser = new Browser(door, lab.report.answers, addressOf(50_003));
  lab.onClose(() => browser.close());
  const before = await ctx.redis.zrange(keys.sessions(user.id), 0, "-1");
  await browser.logIn(user.name, password);
  const after = await ctx.redis.zrange(keys.sessions(user.id), 0, "-1");
  const session = after.find((one) => !before.includes(one)) ?? "";
  const openedAt = (Date.now() - 90 * day - hour / 6) * 1000;
  await ctx.redis.zadd(keys.sessions(user.id), openedAt, session);
  browser.viewer = undefined;
  return browser;
}
