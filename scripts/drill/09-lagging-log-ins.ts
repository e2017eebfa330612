import { setTimeout as sleep } from "node:timers/promises";
import { drillCluster } from "./faults/cluster.ts";
import { addressOf, Browser } from "./lab/browser.ts";
import type { Drill } from "./lab/drill.ts";
import { makePeople, inside, password } from "./lab/inside.ts";
import type { Lab } from "./lab/lab.ts";

const failovers = 100;
const users = 30;
const lagMilliseconds = 1000;

/** The core of cluster-lagging-replica, many times: only what happens to sessions. */
export const laggingLogIns: Drill = {
  number: 9,
  name: "lagging-log-ins",
  fault: `a cluster's primary killed whose replica is a second behind, ${failovers} times, while ${users} users log in and out`,
  passes: "no session is lost that was acknowledged before the lag or after the kill",
  seconds: 3000,
  onlyByName: true,
  run,
};

async function run(lab: Lab): Promise<void> {
  // It is about sessions, not about time.
  lab.report.answers.limit = 10_000;
  const flags = ["--cluster-require-full-coverage", "no"];
  const cluster = await drillCluster(lab, { replicas: 1, flags });
  const ctx = await inside(lab, cluster.urls);
  const { url } = await lab.web(cluster.redisUrl);
  const people = await makePeople(ctx, "u", users);
  lab.report.load = `${users} users, each about ten requests a second`;
  let logIns = 0;
  const over = new AbortController();
  const visits = people.map(async ({ name }, nth) => {
    const browser = new Browser({ url }, lab.report.answers, addressOf(nth));
    while (!over.signal.aborted) {
      await sleep(100 * Math.random() + 50, undefined, { signal: lab.ended });
      const whim = Math.random();
      if (browser.viewer === undefined) logIns += Number(await browser.logIn(name, password));
      else if (whim < 0.2) await browser.logOut();
      else await browser.get(whim < 0.6 ? "/" : "/settings/sessions");
    }
    browser.close();
  });
  const ended = Promise.all(visits);
  ended.catch(() => {});
  for (let nth = 1; nth <= failovers; nth += 1) {
    const { primary, replicas } = await cluster.shardOf(`failover:${nth}`);
    const lagsSince = Date.now();
    cluster.lag(...replicas);
    await sleep(lagMilliseconds, undefined, { signal: lab.ended });
    const killedAt = Date.now();
    await primary.kill();
    cluster.forgetLag();
    const known = lab.report.mayBeLost;
    lab.report.mayBeLost = (at, sentAt) =>
      known(at, sentAt) || (at > lagsSince - 1000 && sentAt < killedAt);
    while ((await cluster.shardOf(`failover:${nth}`)).primary === primary) await sleep(100);
    // Each session is looked at several times.
    await sleep(1500, undefined, { signal: lab.ended });
    primary.restart();
    await cluster.inStep(primary);
    await cluster.whole();
    if (nth % 10 === 0) lab.say(`${nth} failovers, ${logIns} log-ins, ${lab.report.lost} lost`);
  }
  over.abort();
  await ended;
  lab.report.acknowledged = logIns;
  lab.report.notes.push(`${logIns} log-ins in ${failovers} failovers`);
}
