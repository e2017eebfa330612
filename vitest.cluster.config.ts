import { defineConfig, mergeConfig } from "vitest/config";
import base from "./vitest.config.ts";

/**
 * `npm run test:cluster`: all tests on real clusters of three primaries and three replicas, one cluster
 * for each worker of the run, as a cluster has no databases to keep the workers apart.
 */
export default mergeConfig(
  base,
  defineConfig({ test: { globalSetup: ["test/support/private-clusters.ts"] } }),
);
