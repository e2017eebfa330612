import type { Ctx } from "../../../src/context.ts";
import { inside } from "../lab/inside.ts";
import type { Lab } from "../lab/lab.ts";
import { Load, type LoadOptions } from "../lab/load.ts";
import { type DrillCluster, drillCluster } from "./cluster.ts";

export interface ClusterSite {
  cluster: DrillCluster;
  ctx: Ctx;
  load: Load;
  /** Another web process takes the place of the one that there was. */
  restartWeb(): Promise<void>;
}

/** A web process and a worker on three primaries with a replica each, and a load that has begun. */
export async function clusterSite(lab: Lab, options: LoadOptions = {}): Promise<ClusterSite> {
  // What other nodes hold can be read and written while a part of the keys is away.
  const flags = ["--cluster-require-full-coverage", "no"];
  const cluster = await drillCluster(lab, { replicas: 1, flags });
  const ctx = await inside(lab, cluster.urls);
  lab.worker(cluster.redisUrl);
  let web = await lab.web(cluster.redisUrl);
  const door = { url: web.url };
  const load = await Load.prepare(lab, door, ctx, options);
  load.start();
  await load.during(4000);
  const restartWeb = async () => {
    await web.process.kill();
    web = await lab.web(cluster.redisUrl);
    door.url = web.url;
  };
  return { cluster, ctx, load, restartWeb };
}

/** A failover may cost what was acknowledged in the last second before it, which begins now. */
export function shortlyBefore(lab: Lab): void {
  const now = Date.now();
  const known = lab.report.mayBeLost;
  const isShortlyBefore = (at: number, sentAt: number) => at > now - 1000 && sentAt < now;
  lab.report.mayBeLost = (at, sentAt) => known(at, sentAt) || isShortlyBefore(at, sentAt);
  const forgotten = lab.report.mayBeForgotten;
  lab.report.mayBeForgotten = (one) => forgotten(one) || isShortlyBefore(one.endedAt, one.sentAt);
}
