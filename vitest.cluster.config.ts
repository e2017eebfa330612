import { defineConfig } from "vitest/config";
import { onRedis } from "./vitest.config.ts";

/** They bring a server of their own: the private one of `npm start`, or one that they end or fill. */
const onOwnServers = [
  "test/redis/memory*.test.ts",
  "test/redis/private-server.test.ts",
  "test/reliability/ending.test.ts",
  "test/scripts/**",
  "test/stories/worker-killed.test.ts",
  "test/web/server/outage.test.ts",
  "test/{admin,start,web-processes}.test.ts",
  // One server, then a cluster of its own.
  "test/stories/backup*.test.ts",
];

/**
 * `npm run test:cluster`: the tests on real clusters of three primaries and three replicas. Each worker
 * of the run has a cluster to itself: it empties it for each world, and a cluster has one database only.
 */
export default defineConfig({
  test: {
    ...onRedis,
    exclude: [...onRedis.exclude, ...onOwnServers],
    // Some tests need a single server, too.
    globalSetup: [...onRedis.globalSetup, "test/support/world/setup-clusters.ts"],
    maxWorkers: 2,
    // Thirteen servers share the machine with the tests.
    testTimeout: 180_000,
  },
});
