import type { Job, Queue } from "bullmq";
import type { Ctx } from "../../src/context.ts";
import { keys } from "../../src/redis/keys.ts";
import { dump } from "../../test/support/world/dump.ts";
import type { Drill } from "./lab/drill.ts";
import { inside, openQueue, untilIdle } from "./lab/inside.ts";
import type { Lab } from "./lab/lab.ts";
import { Load } from "./lab/load.ts";
import { checkAll } from "./lab/verdict.ts";

const queues = ["deliver", "spread", "chores", "accounts"];

export const jobsTwice: Drill = {
  number: 15,
  name: "jobs-twice",
  fault: "every job delivered twice",
  passes: "data identical",
  seconds: 120,
  quick: true,
  run,
};

async function run(lab: Lab): Promise<void> {
  const { report } = lab;
  const redis = await lab.redis();
  const ctx = await inside(lab, [redis.url]);
  const web = await lab.web(redis.url);
  const load = await Load.prepare(lab, web, ctx, { users: 16, pause: 250 });
  const opened = queues.map((name) => openQueue(lab, ctx, name));
  // No worker runs yet, so that all jobs can be seen.
  load.start();
  await load.during(6000);
  await load.stop();
  const jobs = await Promise.all(opened.map((queue) => queue.getJobs(["wait", "delayed"])));
  lab.worker(redis.url);
  await untilIdle(ctx);
  const once = await state(ctx);
  for (const [nth, queue] of opened.entries())
    for (const job of jobs[nth] ?? []) await again(queue, job);
  await untilIdle(ctx);
  compare(lab, once, await state(ctx));
  report.notes.push(`${jobs.flat().length} jobs done twice`);
  report.expect(jobs.flat().length > 0, "there was no job");
  await checkAll(lab, ctx, load, { redisUrl: redis.url });
}

/** At once, however late it was meant to be; under an id of its own. */
async function again(queue: Queue, { name, data, id }: Job): Promise<void> {
  await queue.add(name, data, { jobId: `again-${id}`, removeOnComplete: true });
}

/** Without what lapses by itself meanwhile. */
async function state(ctx: Ctx): Promise<Map<string, string>> {
  const all = [...(await dump(ctx))];
  const lapse = [keys.ratePrefix, keys.sessionPrefix];
  const kept = all.filter(([key]) => !lapse.some((prefix) => key.startsWith(prefix)));
  return new Map(kept.map(([key, value]) => [key, JSON.stringify(value)]));
}

function compare({ report }: Lab, once: Map<string, string>, twice: Map<string, string>): void {
  for (const key of new Set([...once.keys(), ...twice.keys()])) {
    if (once.get(key) === twice.get(key)) continue;
    report.duplicated += 1;
    report.problem(
      "a key differs",
      `${key}: ${once.get(key) ?? "–"} became ${twice.get(key) ?? "–"}`,
    );
  }
}
