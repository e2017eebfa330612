import { keys } from "../../src/redis/keys.ts";
import { clusterSite } from "./faults/cluster-site.ts";
import { failoverMilliseconds } from "./faults/cluster.ts";
import { repairAfterFailover } from "./lab/doctor.ts";
import type { Drill } from "./lab/drill.ts";
import type { Lab } from "./lab/lab.ts";
import { untilWell } from "./lab/recovery.ts";
import { checkAll } from "./lab/verdict.ts";

const lagMilliseconds = 3000;

/** The replica that takes over lacks the last seconds, those of both counters among them. */
export const clusterLaggingReplica: Drill = {
  number: 9,
  name: "cluster-lagging-replica",
  fault: "a cluster's primaries killed whose replicas are 3 s behind (3 + 3)",
  passes:
    "outage ≤ node-timeout + 4 s, 503 only, no id twice, no user becomes another, nothing lost that was acknowledged after it",
  seconds: 240,
  run,
};

async function run(lab: Lab): Promise<void> {
  const { cluster, ctx, load, restartWeb } = await clusterSite(lab, { signUpEvery: 700 });
  for (const counter of [keys.userIds, keys.tweetIds]) {
    const { primary, replicas } = await cluster.shardOf(counter);
    const lagsSince = Date.now();
    cluster.lag(...replicas);
    await load.during(lagMilliseconds);
    const killedAt = Date.now();
    await primary.kill();
    cluster.forgetLag();
    // Replication is asynchronous, and the promise says what that may cost.
    const { mayBeLost, mayBeForgotten } = lab.report;
    const isBehind = (at: number, sentAt: number) => at > lagsSince - 1000 && sentAt < killedAt;
    lab.report.mayBeLost = (at, sentAt) => mayBeLost(at, sentAt) || isBehind(at, sentAt);
    lab.report.mayBeForgotten = (one) => mayBeForgotten(one) || isBehind(one.endedAt, one.sentAt);
    const { written, delivered } = await untilWell(lab, load);
    lab.report.notes.push(`${counter}: outage ${written} ms, at home after ${delivered} ms`);
    lab.report.recovered(written, failoverMilliseconds);
    lab.say(`killed: the node of ${counter}`);
    await load.during(5000);
    primary.restart();
    await load.during(8000);
  }
  await load.stop();
  await cluster.whole();
  await repairAfterFailover(lab, ctx, cluster.redisUrl);
  // Its memory still has tweets that are lost.
  await restartWeb();
  await checkAll(lab, ctx, load, { redisUrl: cluster.redisUrl });
}
