import type { TestProject } from "vitest/node";
import { startCluster, type TestCluster } from "./cluster.ts";

/** Starts a real cluster of three primaries and three replicas for each worker of the run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const clusters: TestCluster[] = [];
  // One after the other, so that they do not choose the same ports.
  while (clusters.length < project.config.maxWorkers)
    clusters.push(await startCluster({ replicas: 1 }));
  project.provide(
    "redisClusters",
    clusters.map(({ urls }) => urls),
  );
  return async () => {
    await Promise.all(clusters.map((cluster) => cluster.stop()));
  };
}
