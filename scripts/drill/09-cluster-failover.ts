import { keys } from "../../src/redis/keys.ts";
import { clusterSite, shortlyBefore } from "./faults/cluster-site.ts";
import { failoverMilliseconds } from "./faults/cluster.ts";
import { repairAfterFailover } from "./lab/doctor.ts";
import type { Drill } from "./lab/drill.ts";
import type { Lab } from "./lab/lab.ts";
import { untilWell } from "./lab/recovery.ts";
import { checkAll } from "./lab/verdict.ts";

/** The node that counts tweets and serves a third of all else is killed, or only stops. */
export const clusterFailover: Drill = {
  number: 9,
  name: "cluster-failover",
  fault: "a cluster's primary killed; another one frozen for 20 s (3 + 3)",
  passes:
    "outage ≤ node-timeout + 4 s, 503 only, no id twice, no dead letters, nothing lost that was acknowledged after it",
  seconds: 150,
  run,
};

async function run(lab: Lab): Promise<void> {
  const { cluster, ctx, load } = await clusterSite(lab);
  const outage = async (fault: string) => {
    const { written, delivered } = await untilWell(lab, load);
    lab.report.notes.push(`${fault}: outage ${written} ms, at home after ${delivered} ms`);
    lab.report.recovered(written, failoverMilliseconds);
    lab.say(fault);
  };

  const counting = await cluster.shardOf(keys.tweetIds);
  shortlyBefore(lab);
  await counting.primary.kill();
  await outage("killed");
  await load.during(5000);
  counting.primary.restart();
  await load.during(8000);

  const now = await cluster.shardOf(keys.tweetIds);
  shortlyBefore(lab);
  now.primary.freeze();
  const frozenAt = performance.now();
  await outage("frozen");
  await load.during(20_000 - (performance.now() - frozenAt));
  now.primary.thaw();
  await load.during(5000);

  await load.stop();
  await cluster.whole();
  await repairAfterFailover(lab, ctx, cluster.redisUrl);
  await checkAll(lab, ctx, load, { redisUrl: cluster.redisUrl });
}
