import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { tweetId } from "../../src/domain/ids.ts";
import { keys } from "../../src/redis/keys.ts";
import type { Drill } from "./lab/drill.ts";
import { inside, openQueue } from "./lab/inside.ts";
import type { Lab } from "./lab/lab.ts";
import { Load } from "./lab/load.ts";
import { sparePort } from "./lab/ports.ts";
import type { SiteProcess } from "./lab/site.ts";
import { checkAll } from "./lab/verdict.ts";

const hook = fileURLToPath(new URL("faults/deadly-jobs.mjs", import.meta.url));
/** Tweets that do not exist; their deliveries go wrong. */
const deadly = tweetId(900_000_001);
const hanging = tweetId(900_000_002);
/** Workers that the job seems to have ended already: each further one takes 25 s to be found out. */
const stallsBefore = 20;
/** The hour and more that a poison job is tried is not waited for. */
const poisonous = { attempts: 2, backoff: { type: "fixed", delay: 500 } };
const patience = 110_000;

export const badJobs: Drill = {
  number: 14,
  name: "bad-jobs",
  fault: "a poison job; a job that kills its worker; one that hangs",
  passes: "dead-lettered, one alert that arrives, others unaffected",
  seconds: 200,
  run,
};

async function run(lab: Lab): Promise<void> {
  const { report } = lab;
  const webhook = await listenForAlerts(lab);
  const redis = await lab.redis();
  const ctx = await inside(lab, [redis.url]);
  superviseWorkers(lab, redis.url, webhook.url);
  const web = await lab.web(redis.url);
  const load = await Load.prepare(lab, web, ctx, { users: 12, pause: 2000, signUpEvery: 10_000 });
  const deliveries = openQueue(lab, ctx, "deliver");
  const chores = openQueue(lab, ctx, "chores");

  load.start();
  const jobs = [
    await chores.add("a-chore-of-another-version", {}, { jobId: "poison", ...poisonous }),
    await deliveries.add("deliver", { tweet: hanging }, { jobId: "hanging", attempts: 1 }),
    await deliveries.add("deliver", { tweet: deadly }, { jobId: "deadly", delay: 3000 }),
  ];
  await ctx.redis.hset(deliveries.toKey("deadly"), "stc", stallsBefore);
  const began = performance.now();
  for (const job of jobs) {
    while (!(await job.isFailed())) {
      if (performance.now() - began > patience) throw new Error(`job ${job.id} was not given up`);
      await sleep(500, undefined, { signal: lab.ended });
    }
    const took = ((performance.now() - began) / 1000).toFixed(0);
    report.notes.push(`${job.id} given up after ${took} s`);
    while ((webhook.told.get(job.id ?? "") ?? 0) === 0) {
      if (performance.now() - began > patience) throw new Error(`no alert of job ${job.id}`);
      await sleep(500, undefined, { signal: lab.ended });
    }
  }
  await load.stop();
  await sleep(3000);
  for (const [job, times] of webhook.told)
    report.expect(times === 1, "an alert arrived more than once", `${job}: ${times}`);
  // They have been looked at: what else is a dead letter is a problem.
  for (const job of jobs) await job.remove();
  await checkAll(lab, ctx, load, { redisUrl: redis.url });
}

/** As a platform does: starts a worker again that has ended, but not too often. */
function superviseWorkers(lab: Lab, redisUrl: string, webhook: string): void {
  const env = {
    ALERT_WEBHOOK_URL: webhook,
    DRILL_DEADLY_KEY: keys.tweet(deadly),
    DRILL_HANGING_KEY: keys.tweet(hanging),
  };
  const start = (): SiteProcess => lab.worker(redisUrl, { env, nodeArgs: ["--import", hook] });
  const keep = async () => {
    while (!lab.ended.aborted) {
      await start().process.ended();
      await sleep(1000, undefined, { signal: lab.ended });
    }
  };
  // Two, so that the others' jobs go on while one of them is dead.
  for (const _ of [1, 2]) keep().catch(() => {});
}

/** A webhook that refuses the first time it is told of each job. */
async function listenForAlerts(lab: Lab) {
  const told = new Map<string, number>();
  const refused = new Set<string>();
  const server = createServer((req, res) => {
    let body = "";
    req
      .on("data", (part) => (body += String(part)))
      .on("end", () => {
        const job = /job (\S+) of queue/.exec(body)?.[1] ?? body;
        if (refused.has(job)) told.set(job, (told.get(job) ?? 0) + 1);
        res.writeHead(refused.has(job) ? 200 : 503).end();
        refused.add(job);
      });
  });
  const port = await sparePort();
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  lab.onClose(() => server.close());
  return { url: `http://127.0.0.1:${port}/alerts`, told };
}
