import { setTimeout as sleep } from "node:timers/promises";
import { keys } from "../../src/redis/keys.ts";
import type { Shard } from "../../test/support/world/cluster.ts";
import { clusterSite, shortlyBefore } from "./faults/cluster-site.ts";
import { type DrillCluster, failoverMilliseconds, returnMilliseconds } from "./faults/cluster.ts";
import { repairAfterFailover } from "./lab/doctor.ts";
import type { Drill } from "./lab/drill.ts";
import type { Lab } from "./lab/lab.ts";
import type { Load } from "./lab/load.ts";
import { untilWell } from "./lab/recovery.ts";
import type { User } from "./lab/user.ts";
import { checkAll } from "./lab/verdict.ts";

const awayMilliseconds = 330_000;

/**
 * The long one. A primary lives on where nothing reaches it, and its replica takes over. Then another
 * one is away together with its replica, so that a third of all keys is; the queue can be reached
 * all that time, so that jobs are tried and cannot be done.
 */
export const clusterCutOff: Drill = {
  number: 9,
  name: "cluster-cut-off",
  fault: "a cluster's primary cut off for 5.5 min, then another one with its replica (3 + 3)",
  passes:
    "failover ≤ node-timeout + 4 s, return ≤ 2 s after Redis; 503 only, no id twice, no dead letters, nothing lost after it",
  seconds: 660,
  run,
};

async function run(lab: Lab): Promise<void> {
  const light = { users: 12, pause: 3000, signUpEvery: 15_000 };
  const { cluster, ctx, load } = await clusterSite(lab, light);
  const counting = await cluster.shardOf(keys.tweetIds);
  shortlyBefore(lab);
  cluster.cutOff(counting.primary);
  lab.say("a primary is cut off");
  const { written } = await untilWell(lab, load);
  lab.report.notes.push(`outage ${written} ms`);
  lab.report.recovered(written, failoverMilliseconds);
  await load.during(10_000);

  const lost = await shardBeside(cluster, [keys.tweetIds, keys.queuePrefix]);
  const concerned = await usersOn(cluster, lost, load);
  shortlyBefore(lab);
  cluster.cutOff(counting.primary, lost.primary, ...lost.replicas);
  lab.say("another is, with its replica");
  await load.during(awayMilliseconds);
  // Redis may fail over again when nodes that lost the others come back, see docs/reliability.md.
  shortlyBefore(lab);
  cluster.reconnect();
  lab.say("all are back");
  const back = performance.now();
  const users = concerned.slice(0, 3);
  const [serving, ...recoveries] = await Promise.all([
    cluster.serving().then(() => Math.round(performance.now() - back)),
    ...users.map(async (user) => (await untilWell(lab, load, user)).written),
  ]);
  lab.report.notes.push(`back: Redis after ${serving} ms, users after ${recoveries.join(", ")} ms`);
  for (const recovery of recoveries)
    lab.report.recovered(Math.max(recovery - serving, 0), returnMilliseconds);
  await load.during(5000);
  await load.stop();
  await cluster.whole();
  await repairAfterFailover(lab, ctx, cluster.redisUrl);
  await checkAll(lab, ctx, load, { redisUrl: cluster.redisUrl, patience: 120 });
}

/** One that serves none of these keys. */
async function shardBeside(cluster: DrillCluster, others: string[]): Promise<Shard> {
  const taken = await Promise.all(others.map(async (key) => (await cluster.shardOf(key)).primary));
  for (let nth = 0; ; nth += 1) {
    const shard = await cluster.shardOf(`any:${nth}`);
    if (!taken.includes(shard.primary)) return shard;
    await sleep(1);
  }
}

async function usersOn(cluster: DrillCluster, shard: Shard, load: Load): Promise<User[]> {
  const found: User[] = [];
  for (const user of load.users) {
    const { primary } = await cluster.shardOf(keys.user(user.person.id));
    if (primary === shard.primary) found.push(user);
  }
  return found;
}
